"""Run by a test in a process of its own, because pywb changes how Python waits: FOLDER, then JSON of collections on stdin.

For each collection {"name", "warc", "cdxj" or null, "urls"}: index the file with pywb (or give it our index), then replay the
addresses. Prints JSON: by collection and address, the status, the media type, the page and where it redirects.
"""

import contextlib
import io
import json
import os
import shutil
import sys
from pathlib import Path

os.chdir(sys.argv[1])
collections = json.load(sys.stdin)

from pywb.manager.manager import main as manager  # noqa: E402

with contextlib.redirect_stdout(io.StringIO()):
    for collection in collections:
        manager(["init", collection["name"]])
        if collection["cdxj"]:
            place = Path("collections") / collection["name"]
            shutil.copy(collection["warc"], place / "archive")
            shutil.copy(collection["cdxj"], place / "indexes" / "index.cdxj")
        else:
            manager(["add", collection["name"], collection["warc"]])

    from pywb.apps.frontendapp import FrontEndApp
    from werkzeug.test import Client
    from werkzeug.wrappers import Response

    client = Client(FrontEndApp(config_file=None, custom_config={}), Response)
    answers = {}
    for collection in collections:
        for url in collection["urls"]:
            answer = client.get(f"/{collection['name']}/2023id_/{url}")
            answers[f"{collection['name']} {url}"] = {
                "status": answer.status_code,
                "mime": answer.mimetype,
                "location": answer.headers.get("Location"),
                "page": answer.data.decode("latin-1"),
            }
print(json.dumps(answers))
os._exit(0)  # its servers have no end of their own
