// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Outputs of ONNX Runtime: one JSON a line in, {"model", "level", "inputs": [{"name", "type", "dims", "file"}], "out"},
// one out, [{"type", "dims", "file"}] or {"error"}. Files hold the bare values; outputs are written to OUT.<number>.
// Runs in a folder with node_modules/onnxruntime-node.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import readline from 'node:readline';

const ort = createRequire(process.cwd() + '/')('onnxruntime-node');
const ARRAYS = { float32: Float32Array, int64: BigInt64Array, int32: Int32Array, uint8: Uint8Array, int8: Int8Array };

async function outputs(spec) {
  const session = await ort.InferenceSession.create(spec.model, {
    graphOptimizationLevel: spec.level, intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3,
  });
  const feeds = {};
  for (const input of spec.inputs) {
    const bytes = Uint8Array.from(readFileSync(input.file));
    feeds[input.name] = new ort.Tensor(input.type, new ARRAYS[input.type](bytes.buffer), input.dims);
  }
  const results = await session.run(feeds);
  const written = session.outputNames.map((name, i) => {
    const { data, type, dims } = results[name];
    const file = `${spec.out}.${i}`;
    writeFileSync(file, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return { type, dims, file };
  });
  await session.release();
  return written;
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const answer = await outputs(JSON.parse(line)).catch((error) => ({ error: String(error) }));
  console.log(JSON.stringify(answer));
}
