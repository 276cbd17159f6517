"""A stand-in for an inference server: `standin_server.py FD NAME [--reply FILE] [--child NAME]`. It takes
the name, has a child of another, answers Ollama's /api/ps by a file and says on descriptor FD that it is there. No model is
loaded."""
import http.server
import os
import sys


def main(fd, name, *more):
    with open("/proc/self/comm", "w") as file:
        file.write(name)
    options = dict(zip(more[::2], more[1::2]))
    if "--child" in options and os.fork() == 0:
        return main(fd, options["--child"])
    port = 0
    if "--reply" in options:
        with open(options["--reply"], "rb") as file:
            reply = file.read()

        class Answers(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200 if self.path == "/api/ps" else 404)
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_):
                pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
        port = server.server_port
    os.write(int(fd), b"%d %d\n" % (os.getpid(), port))
    if port:
        server.serve_forever()
    os.read(0, 1)  # until its test is over


if __name__ == "__main__":
    main(*sys.argv[1:])
