-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The table over several servers. On each server: first schema.sql, then this file. The servers are listed as a cluster
-- with the name pprofil in <remote_servers> of the configuration of each.
--
-- The rows are in pprofil.samples_local of each server. pprofil.samples has no rows of its own: what is inserted goes
-- to a server that is chosen by its host, and queries ask all servers. So queries/ are the same for one server and for
-- many.
SET allow_experimental_low_cardinality_type = 1;

RENAME TABLE pprofil.samples TO pprofil.samples_local;

CREATE TABLE pprofil.samples AS pprofil.samples_local
ENGINE = Distributed(pprofil, pprofil, samples_local, sipHash64(host));

-- For copies of the rows, change in schema.sql the engine into the one below. It needs ZooKeeper, the macros {shard}
-- and {replica} on each server, and <internal_replication>true</internal_replication> in the cluster:
--   ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/pprofil/samples', '{replica}')
