-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The time of each host, and its part of all. For jobs or services, take job or service in place of host.
-- In place of WHERE 1, say which rows.
SELECT
    host,
    sum(samples) AS host_samples,
    sum(ns) AS host_ns,
    round(100 * host_ns / (
        SELECT sum(ns) FROM pprofil.samples
        WHERE 1
    ), 2) AS host_percent
FROM pprofil.samples
WHERE 1
GROUP BY host
ORDER BY host_ns DESC, host
