# Copyright (C) 2026 Fuseq authors
# SPDX-License-Identifier: Apache-2.0
"""Several requests of one compiled model, kept busy."""
import collections
import threading
import weakref

from . import keywords


class _State:
    """What the requests' callbacks need. It holds no request, so that no cycle is made."""

    def __init__(self, count):
        self.changed = threading.Condition()
        self.idle = collections.deque(range(count))
        self.userdata = [None] * count
        self.callback = None
        self.error = None

    def raise_error(self):
        """What a run or a callback raised, once. Called with the lock."""
        error, self.error = self.error, None
        if error is not None:
            raise error


def _ended(state, index, request, error):
    """Called in the device's thread."""
    try:
        live = request()
        if error is None and state.callback is not None and live is not None:
            state.callback(live, state.userdata[index])
    except BaseException as raised:  # for the thread that waits
        error = raised
    with state.changed:
        if state.error is None:
            state.error = error
        state.userdata[index] = None
        state.idle.append(index)
        state.changed.notify_all()


class AsyncInferQueue:
    """Requests of a compiled model, and a queue of those that are idle.

    AsyncInferQueue(compiled, jobs=0): as many requests, or OPTIMAL_NUMBER_OF_INFER_REQUESTS.

        queue = fuseq.AsyncInferQueue(compiled, 4)
        queue.set_callback(lambda request, userdata: print(userdata, request.results[0]))
        for number, image in enumerate(images):
            queue.start_async(image, userdata=number)
        queue.wait_all()
    """

    @keywords.checked
    def __init__(self, model, jobs=0):
        if not isinstance(jobs, int) or jobs < 0:
            raise ValueError(f"jobs is {jobs!r}, expected a number, 0 or more")
        count = jobs or model.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")
        self._requests = [model.create_infer_request() for _ in range(count)]
        self._state = _State(count)
        for index, request in enumerate(self._requests):
            self._give_callback(index, request)

    def _give_callback(self, index, request):
        state, reference = self._state, weakref.ref(request)
        request._set_callback_with_errors(
            lambda _, error: _ended(state, index, reference, error))

    def __del__(self):
        state = getattr(self, "_state", None)
        if state is not None:
            with state.changed:
                state.changed.wait_for(self._all_idle)

    def __len__(self):
        return len(self._requests)

    def __iter__(self):
        return iter(self._requests)

    def __getitem__(self, index):
        return self._requests[index]

    @property
    def userdata(self):
        """What each request was started with; None for idle ones."""
        return list(self._state.userdata)

    def set_callback(self, callback):
        """callback(request, userdata) is called after each run that did not fail.

        What it raises, wait_all() or the next start_async() raises.
        """
        self.wait_all()
        self._state.callback = callback

    def is_ready(self):
        """Whether start_async() would start at once."""
        with self._state.changed:
            return bool(self._state.idle)

    def get_idle_request_id(self):
        """Waits for an idle request; the number of the one that the next start_async() uses."""
        with self._state.changed:
            self._state.changed.wait_for(lambda: self._state.idle)
            self._state.raise_error()
            return self._state.idle[0]

    @keywords.checked
    def start_async(self, inputs=None, userdata=None, share_inputs=False):
        """Waits for an idle request and starts it; see InferRequest.start_async().

        Raises what an earlier run or callback raised; nothing is started then.
        """
        state = self._state
        with state.changed:
            state.changed.wait_for(lambda: state.idle)
            state.raise_error()
            index = state.idle.popleft()
            state.userdata[index] = userdata
        try:
            request = self._requests[index]
            request.start_async(inputs, None, share_inputs)
        except BaseException:
            with state.changed:
                state.userdata[index] = None
                state.idle.append(index)
                state.changed.notify_all()
            raise

    def wait_all(self):
        """Waits until all requests are idle. Raises the first that a run or callback raised."""
        with self._state.changed:
            self._state.changed.wait_for(self._all_idle)
            self._state.raise_error()

    def _all_idle(self):
        return len(self._state.idle) == len(self._requests)
