# SPDX-License-Identifier: LGPL-2.1-or-later
"""A server for the tests of pprofil push: push-server.py FOLDER

It listens on a free port of 127.0.0.1, and writes the port to FOLDER/port when it is ready. It checks each request
against what the documents of Pyroscope and Parca demand, and answers 400 with the reason if it is wrong:

    /ingest                     Pyroscope: the required parameters, the syntax of the name, a gzip'd pprof as the body
    /api/profiles/writeraw      Parca: a WriteRawRequest in JSON, with a series name, label names and a gzip'd pprof
    /raw                        any parameters, a gzip'd pprof as the body

FOLDER/behaviour says what it does with the next requests, if there is such a file: "STATUS [RETRY-AFTER [TEXT]]",
"hang", "close", or "redirect". FOLDER/log gets a line for each request: what was done, the path, and the query.
FOLDER/N.pb.gz and FOLDER/N.headers have the body and the headers of the Nth request that was taken."""
import base64
import gzip
import http.server
import json
import os
import re
import sys
import threading
import time
import urllib.parse

folder = sys.argv[1]
lock = threading.Lock()
taken = 0


class Wrong(Exception):
    """What a request does not have as the documents demand."""


def demand(condition, text):
    if not condition:
        raise Wrong(text)


def check_pprof(body):
    demand(body[:2] == b"\x1f\x8b", "the profile is not compressed with gzip")
    message = gzip.decompress(body)
    # field 1 is a sample type; each pprof begins with one
    demand(message[:1] == b"\x0a", "the profile is no pprof")
    return body


def check_pyroscope(query, headers, body):
    for name in ("name", "from", "until", "format"):
        demand(len(query.get(name, [])) == 1, "no parameter " + name)
    match = re.fullmatch(r"([A-Za-z0-9_./-]+)\{([^{}]*)\}", query["name"][0])
    demand(match, "invalid name: " + query["name"][0])
    for label in match.group(2).split(",") if match.group(2) else []:
        demand(re.fullmatch(r"[A-Za-z0-9_.]+=[^,}]+", label), "invalid label: " + label)
    for name in ("from", "until"):
        # ten digits are seconds; 13, 16 and 19 digits would be other units
        demand(re.fullmatch(r"[0-9]{10}", query[name][0]), "no UNIX time: " + query[name][0])
    demand(int(query["from"][0]) < int(query["until"][0]), "from is not before until")
    demand(query["format"] == ["pprof"], "another format")
    demand("multipart" not in headers.get("Content-Type", ""), "format=pprof takes no form")
    return check_pprof(body)


def check_parca(query, headers, body):
    demand(not query, "a query")
    demand(headers.get("Content-Type") == "application/json", "no JSON")
    request = json.loads(body)
    demand(set(request) <= {"series", "normalized"}, "unknown fields")
    demand(len(request["series"]) == 1, "not one series")
    series = request["series"][0]
    labels = [(label["name"], label["value"]) for label in series["labels"]["labels"]]
    names = [name for name, _ in labels]
    demand(len(names) == len(set(names)), "a label twice")
    demand(re.fullmatch(r"[a-zA-Z_:][a-zA-Z0-9_:]*", dict(labels).get("__name__", "")), "no name of the series")
    for name in names:
        demand(re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", name), "invalid label name: " + name)
    demand(len(series["samples"]) == 1, "not one sample")
    with open(os.path.join(folder, "labels"), "w", encoding="utf-8") as file:
        file.writelines("%s=%s\n" % label for label in sorted(labels))
    return check_pprof(base64.b64decode(series["samples"][0]["raw_profile"], validate=True))


def check_raw(query, headers, body):
    return check_pprof(body)


checks = {"/ingest": check_pyroscope, "/api/profiles/writeraw": check_parca, "/raw": check_raw}


def behaviour():
    try:
        with open(os.path.join(folder, "behaviour"), encoding="utf-8") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


def log(text):
    with open(os.path.join(folder, "log"), "a", encoding="utf-8") as file:
        file.write(text + "\n")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format, *values):
        pass

    def answer(self, status, text="", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def take(self, path, query, body):
        global taken
        if path not in checks:
            raise Wrong("no such path: " + path)
        profile = checks[path](query, self.headers, body)
        taken += 1
        with open(os.path.join(folder, "%d.pb.gz" % taken), "wb") as file:
            file.write(profile)
        with open(os.path.join(folder, "%d.headers" % taken), "w", encoding="utf-8") as file:
            file.write(str(self.headers))

    def misbehave(self, how):
        if how == "hang":
            time.sleep(600)
        elif how == "redirect":
            self.answer(307, b"", [("Location", "http://127.0.0.1:1/elsewhere")])
        elif how != "close":
            words = how.split(" ", 2)
            after = [("Retry-After", words[1])] if len(words) > 1 and words[1] != "-" else []
            self.answer(int(words[0]), words[2].encode() if len(words) > 2 else b"", after)
        self.close_connection = True

    def do_POST(self):
        parts = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(parts.query, keep_blank_values=True)
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        how = behaviour()
        with lock:
            if how:
                log("%s %s %s" % (how, parts.path, urllib.parse.unquote(parts.query)))
            else:
                try:
                    self.take(parts.path, query, body)
                    log("taken %s %s" % (parts.path, urllib.parse.unquote(parts.query)))
                    self.answer(200, b"{}")
                except (Wrong, KeyError, ValueError, OSError, EOFError) as error:
                    log("wrong %s %s" % (parts.path, error))
                    self.answer(400, str(error).encode() + b"\nand more\n")
        if how:
            self.misbehave(how)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(os.path.join(folder, "port.new"), "w", encoding="utf-8") as file:
    file.write("%d\n" % server.server_address[1])
os.rename(os.path.join(folder, "port.new"), os.path.join(folder, "port"))
server.serve_forever()
