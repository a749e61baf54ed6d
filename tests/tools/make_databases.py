"""Makes tests/tools/databases: what sqlite-query is tried on, sound ones and others.

Run once, by hand, when a case is added: python3 make_databases.py. The files are committed.
"""

import pathlib
import shutil
import sqlite3

HERE = pathlib.Path(__file__).parent / "databases"
ITEMS = """
CREATE TABLE items(id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL, picture BLOB);
INSERT INTO items VALUES(1, '钉子', 0.5, NULL), (2, '螺丝', NULL, NULL), (3, '画', 9, x'0001ff');
CREATE VIEW cheap AS SELECT * FROM items WHERE price < 1;
"""


def make(name, wal=False):
    connection = sqlite3.connect(HERE / name)
    connection.execute("PRAGMA page_size = 512")
    if wal:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(ITEMS)
    connection.commit()
    connection.close()


shutil.rmtree(HERE, ignore_errors=True)
HERE.mkdir()
make("shop.db")
make("wal.db", wal=True)
damaged = bytearray((HERE / "shop.db").read_bytes())
damaged[100:140] = b"\xff" * 40
(HERE / "damaged.db").write_bytes(damaged)
shutil.copy(HERE / "shop.db", HERE / "busy.db")
(HERE / "busy.db-wal").write_bytes(b"x" * 40)
(HERE / "text.db").write_text("just text\n" * 10)
