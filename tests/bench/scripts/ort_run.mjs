// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Times an ONNX model with any number of inputs under ONNX Runtime: node ort_run.mjs SPEC.json, with
// {"model", "threads", "seconds", "inputs": [{"name", "type", "dims", "file"}]}; files hold the bare values.
// Prints the median of one inference in ms. Runs in a folder with node_modules/onnxruntime-node.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const ort = createRequire(process.cwd() + '/')('onnxruntime-node');
const ARRAYS = {
  float32: Float32Array, int64: BigInt64Array, int32: Int32Array, uint8: Uint8Array, int8: Int8Array, uint16: Uint16Array,
  int16: Int16Array, bool: Uint8Array, float64: Float64Array, float16: Uint16Array,
};

const spec = JSON.parse(readFileSync(process.argv[2]));
const session = await ort.InferenceSession.create(spec.model, {
  graphOptimizationLevel: 'all', executionMode: 'sequential', intraOpNumThreads: spec.threads, interOpNumThreads: 1,
  logSeverityLevel: 3,
});
const feeds = {};
for (const input of spec.inputs) {
  const bytes = Uint8Array.from(readFileSync(input.file));
  feeds[input.name] = new ort.Tensor(input.type, new ARRAYS[input.type](bytes.buffer), input.dims);
}
const results = await session.run(feeds);
const times = [];
for (let left = spec.seconds * 1000; left > 0 || times.length < 10;) {
  const begin = performance.now();
  await session.run(feeds, results);
  times.push(performance.now() - begin);
  left -= times.at(-1);
}
times.sort((a, b) => a - b);
console.log(times[times.length >> 1]);
