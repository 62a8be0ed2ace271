import ast
from pathlib import Path

import tearsheet.feeds
from tests.support.source_trees import tree_of

ROOT = Path(tearsheet.feeds.__file__).parent
STORES = {
    "tables",
    "access_store",
    "polling.store",
    "polling.story_store",
    "polling.document_store",
    "polling.joined_feeds",
    "polling.result_store",
    "polling.sums",
    "polling.websub_store",
    "catalogue.store",
    "catalogue.changing",
    "catalogue.source_store",
    "catalogue.syncing",
    "catalogue.listing",
    "catalogue.directory",
    "catalogue.history",
}


def speaks_sql(path: Path) -> bool:
    imports = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Import | ast.ImportFrom)]
    named = [
        name for node in imports for name in (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name,)
    ]
    return any((name or "").startswith("sqlalchemy") for name in named)


def test_only_stores_speak_sql():
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in ROOT.rglob("*.py")}
    assert {name for name, path in modules.items() if speaks_sql(path)} == STORES
