"""A real server for a test: started, waited for, and ended."""

import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager


def free_port():
    """A port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextmanager
def running(command, url, log, **settings):
    """Run a command until the block ends, which begins when `url` answers; what it says goes to `log`."""
    with log.open("w") as said:
        server = subprocess.Popen(command, stdout=said, stderr=said, **settings)
    try:
        until = time.monotonic() + 180
        while True:
            assert server.poll() is None and time.monotonic() < until, log.read_text()
            try:
                urllib.request.urlopen(url, timeout=5)
                break
            except OSError:
                time.sleep(0.2)
        yield
    finally:
        server.terminate()
        server.wait(60)
