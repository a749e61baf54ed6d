-- The database as version 6 of the schema left it, with rows in every table. Never changed: it stands for what people have.
CREATE TABLE approvals (
        id TEXT PRIMARY KEY, subject TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, code_hash TEXT NOT NULL,
        detail TEXT NOT NULL, actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, state TEXT NOT NULL,
        created_at INTEGER NOT NULL, resolved_at INTEGER, resolver_kind TEXT, resolver_name TEXT
    , mark TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "approvals" VALUES('id 1 ü文','subject 1 ü文','kind 1 ü文','value 1 ü文','code_hash 1 ü文','{"n":1}','actor_kind 1 ü文','actor_name 1 ü文','state 1 ü文',1700000000001,1700000000001,'resolver_kind 1 ü文','resolver_name 1 ü文','');
INSERT INTO "approvals" VALUES('id 2 ü文','subject 2 ü文','kind 2 ü文','value 2 ü文','code_hash 2 ü文','{"n":2}','actor_kind 2 ü文','actor_name 2 ü文','state 2 ü文',1700000000002,NULL,NULL,NULL,'');
CREATE TABLE artifacts (
        id TEXT PRIMARY KEY, kind TEXT NOT NULL, title TEXT NOT NULL, size INTEGER NOT NULL, width INTEGER NOT NULL,
        height INTEGER NOT NULL, source TEXT NOT NULL, created_at INTEGER NOT NULL, actor_kind TEXT NOT NULL,
        actor_name TEXT NOT NULL, code TEXT NOT NULL
    , removed_at INTEGER) STRICT;
INSERT INTO "artifacts" VALUES('id 1 ü文','kind 1 ü文','title 1 ü文',1700000000001,1700000000001,1700000000001,'source 1 ü文',1700000000001,'actor_kind 1 ü文','actor_name 1 ü文','code 1 ü文',NULL);
INSERT INTO "artifacts" VALUES('id 2 ü文','kind 2 ü文','title 2 ü文',1700000000002,1700000000002,1700000000002,'source 2 ü文',1700000000002,'actor_kind 2 ü文','actor_name 2 ü文','code 2 ü文',NULL);
CREATE TABLE audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL,
        action TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL
    ) STRICT;
INSERT INTO "audit" VALUES(1,1700000000001,'actor_kind 1 ü文','actor_name 1 ü文','action 1 ü文','subject 1 ü文','{"n":1}');
INSERT INTO "audit" VALUES(2,1700000000002,'actor_kind 2 ü文','actor_name 2 ü文','action 2 ü文','subject 2 ü文','{"n":2}');
CREATE TABLE changes (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, task TEXT NOT NULL, root TEXT NOT NULL,
        path TEXT NOT NULL, from_path TEXT, op TEXT NOT NULL, kind TEXT NOT NULL, before_hash TEXT,
        before_size INTEGER, after_hash TEXT, after_size INTEGER, origin TEXT, trashed INTEGER, at INTEGER NOT NULL,
        actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, settled INTEGER NOT NULL
    ) STRICT;
INSERT INTO "changes" VALUES(1,'id 1 ü文','task 1 ü文','root 1 ü文','path 1 ü文','from_path 1 ü文','op 1 ü文','kind 1 ü文','before_hash 1 ü文',1700000000001,'after_hash 1 ü文',1700000000001,'origin 1 ü文',1700000000001,1700000000001,'actor_kind 1 ü文','actor_name 1 ü文',0);
INSERT INTO "changes" VALUES(2,'id 2 ü文','task 2 ü文','root 2 ü文','path 2 ü文',NULL,'op 2 ü文','kind 2 ü文',NULL,NULL,NULL,NULL,NULL,NULL,1700000000002,'actor_kind 2 ü文','actor_name 2 ü文',1);
CREATE TABLE descriptions (hash TEXT PRIMARY KEY, used_at INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
INSERT INTO "descriptions" VALUES('hash 1 ü文',1700000000001,'{"n":1}');
INSERT INTO "descriptions" VALUES('hash 2 ü文',1700000000002,'{"n":2}');
CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL, tags TEXT NOT NULL,
        data TEXT NOT NULL
    ) STRICT;
INSERT INTO "events" VALUES(1,1700000000001,'kind 1 ü文','["t"]','{"n":1}');
INSERT INTO "events" VALUES(2,1700000000002,'kind 2 ü文','["t"]','{"n":2}');
CREATE TABLE "grants" (
        subject TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, mark TEXT NOT NULL, code_hash TEXT NOT NULL,
        actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, granted_at INTEGER NOT NULL,
        PRIMARY KEY (subject, kind, value, mark)
    ) STRICT;
INSERT INTO "grants" VALUES('subject 1 ü文','kind 1 ü文','value 1 ü文','','code_hash 1 ü文','actor_kind 1 ü文','actor_name 1 ü文',1700000000001);
INSERT INTO "grants" VALUES('subject 2 ü文','kind 2 ü文','value 2 ü文','','code_hash 2 ü文','actor_kind 2 ü文','actor_name 2 ü文',1700000000002);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO "meta" VALUES('key 1 ü文','value 1 ü文');
INSERT INTO "meta" VALUES('key 2 ü文','value 2 ü文');
CREATE TABLE runs (
        id TEXT PRIMARY KEY, subject TEXT NOT NULL, started_at INTEGER NOT NULL, duration_ms REAL NOT NULL,
        success INTEGER NOT NULL, error TEXT, actor_kind TEXT NOT NULL, actor_name TEXT NOT NULL, memory INTEGER
    , detail TEXT, about TEXT) STRICT;
INSERT INTO "runs" VALUES('id 1 ü文','subject 1 ü文',1700000000001,1.5,0,'error 1 ü文','actor_kind 1 ü文','actor_name 1 ü文',1700000000001,NULL,NULL);
INSERT INTO "runs" VALUES('id 2 ü文','subject 2 ü文',1700000000002,2.5,1,NULL,'actor_kind 2 ü文','actor_name 2 ü文',NULL,NULL,NULL);
CREATE TABLE workspaces (
        task TEXT PRIMARY KEY, path TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, actor_kind TEXT NOT NULL,
        actor_name TEXT NOT NULL
    ) STRICT;
INSERT INTO "workspaces" VALUES('task 1 ü文','path 1 ü文',1700000000001,'actor_kind 1 ü文','actor_name 1 ü文');
INSERT INTO "workspaces" VALUES('task 2 ü文','path 2 ü文',1700000000002,'actor_kind 2 ü文','actor_name 2 ü文');
CREATE INDEX runs_by_time ON runs (started_at DESC);
CREATE INDEX runs_by_subject ON runs (subject, started_at DESC);
CREATE INDEX artifacts_by_time ON artifacts (created_at DESC);
CREATE INDEX artifacts_by_removal ON artifacts (removed_at) WHERE removed_at IS NOT NULL;
CREATE INDEX changes_by_path ON changes (task, root, path, seq);
CREATE INDEX changes_unsettled ON changes (seq) WHERE settled = 0;
CREATE INDEX approvals_waiting ON approvals (subject, kind, value) WHERE state = 'waiting';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('audit',2);
INSERT INTO "sqlite_sequence" VALUES('events',2);
INSERT INTO "sqlite_sequence" VALUES('changes',2);
PRAGMA user_version = 6;
