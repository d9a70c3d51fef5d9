-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The table of samples on one server: clickhouse-client --multiquery < schema.sql
--
-- A row stands for all samples of a profile (of a minute of it, if it is longer) that have the same thread, stack,
-- line, state, system call and wait. Servers before 19.1 create columns LowCardinality only if they are told so, as
-- here.
SET allow_experimental_low_cardinality_type = 1;

CREATE DATABASE IF NOT EXISTS pprofil;

CREATE TABLE IF NOT EXISTS pprofil.samples
(
    time         DateTime DEFAULT now(),  -- when the profile or the minute began
    duration_ns  UInt64,                  -- how long it was; the same in all its rows
    host         LowCardinality(String),
    job          LowCardinality(String),
    rank         LowCardinality(String),  -- text, because '' means that there is none
    service      LowCardinality(String),  -- name of the program, or of --label service=NAME
    pid          UInt32,
    tid          UInt32,
    thread       LowCardinality(String),  -- name of the thread
    stack        Array(LowCardinality(String)), -- functions, the outermost first
    function     LowCardinality(String),  -- the innermost function: stack[-1]
    object       LowCardinality(String),  -- the program or library that has its code
    file         LowCardinality(String),  -- source file of the line
    line         UInt32,                  -- the line that was executed; 0: not known
    state        LowCardinality(String),  -- 'running', or in wall mode another one
    syscall      LowCardinality(String),
    wait         String,                  -- what a sleeping thread waits for
    samples      UInt64,
    ns           UInt64,                  -- CPU time; in wall mode elapsed time
    labels       Nested(key LowCardinality(String), value LowCardinality(String))
)
ENGINE = MergeTree
-- a day can be dropped in no time: ALTER TABLE pprofil.samples DROP PARTITION '2026-11-29'
PARTITION BY toDate(time)
-- Rows of one file stay together and in their order, in which similar stacks follow each other. This compresses well.
ORDER BY (service, time, host, rank, pid, tid);

-- From 19.11 on there are codecs and a time to live:
--   ALTER TABLE pprofil.samples MODIFY COLUMN time DateTime DEFAULT now() CODEC(DoubleDelta, ZSTD);
--   ALTER TABLE pprofil.samples MODIFY COLUMN stack Array(LowCardinality(String)) CODEC(ZSTD(3));
--   ALTER TABLE pprofil.samples MODIFY COLUMN ns UInt64 CODEC(T64, ZSTD);
--   ALTER TABLE pprofil.samples MODIFY TTL time + INTERVAL 30 DAY;
