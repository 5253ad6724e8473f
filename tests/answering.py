"""A real server on this machine that answers exactly, by traces, or by the shipped checkpoint, and fails on demand."""

import itertools
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from revorder import Problem, verify
from revorder.arithmetic.expression import parse_problem

WORDS = {"plus": "+", "minus": "-", "times": "*", "divided by": "/"}


class Server(ThreadingHTTPServer):
    """`faults`: what the next requests get instead of a reply, each a (status, headers, body) or seconds to wait
    first."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.lock = threading.Lock()
        self.faults, self.seen, self.busy, self.most = [], [], 0, 0
        self.endless, self.sent, self.models = None, 0, ["m"]  # (status, bytes, or how many of them) of every reply
        self.deaf = False  # to stop
        self.wait, self.reply = 0, lambda problem, body: (problem.answer, "stop")

    def bodies(self):
        return [body for _, _, body in self.seen]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, headers, body):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json", "Content-Length": len(data)} | headers).items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def send_much(self, status, much):
        """A chunked reply of many spaces, so that its length is not told before; or of these compressed bytes."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        if isinstance(much, bytes):
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        chunks = [much] if isinstance(much, bytes) else itertools.repeat(b" " * 2**16, much // 2**16)
        for chunk in chunks:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.server.sent += len(chunk)
        self.wfile.write(b"0\r\n\r\n")

    def do_GET(self):
        self.send(200, {}, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.server.models]})

    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body))
            fault = server.faults.pop(0) if server.faults else None
            server.busy += 1
            server.most = max(server.most, server.busy)
        try:
            time.sleep(fault if isinstance(fault, float) else server.wait)
            if server.endless:
                self.send_much(*server.endless)
            elif isinstance(fault, tuple):
                self.send(*fault)
            elif self.path == "/v1/chat/completions":
                text, why, *more = server.reply(asked(body["messages"][-1]["content"]), body)
                message = {"role": "assistant", "content": text} | (more[0] if more else {})
                self.send(200, {}, {"choices": [{"index": 0, "message": message, "finish_reason": why}]})
            elif self.path == "/v1/completions":
                text, why = server.reply(asked(body["prompt"]), body)
                text = text if server.deaf else text.partition(body["stop"])[0]
                self.send(200, {}, {"choices": [{"index": 0, "text": text, "finish_reason": why}]})
            else:
                self.send(404, {}, {"error": {"message": f"no such path: {self.path}"}})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client did not wait
        finally:
            with server.lock:
                server.busy -= 1


def asked(text):
    if match := re.match(r"What is ([0-9]+) (plus|minus|times|divided by) ([0-9]+)\?", text):
        return Problem(int(match[1]), WORDS[match[2]], int(match[3]))
    return parse_problem(text.rstrip().rsplit("\n\n", 1)[-1].replace("\n=", "=").rsplit("\n", 1)[-1])


def error(message, **more):
    return {"error": {"message": message, "type": "error", **more}}


SOON = {"Retry-After": "0.02"}
BROKEN = (500, SOON, error("it broke"))


def judged(endpoint, problem, reply):
    return verify(endpoint.as_trace(problem, reply), endpoint.info.method, endpoint.info.form, problem)
