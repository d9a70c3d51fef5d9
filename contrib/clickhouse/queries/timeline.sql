-- SPDX-License-Identifier: LGPL-2.1-or-later
-- How many CPUs each service uses, minute by minute. A row's time is when its minute began (pprofil-formats(5)).
-- In place of WHERE 1, say which rows.
SELECT
    toStartOfMinute(time) AS minute,
    service,
    round(sum(ns) / 60e9, 3) AS cpus
FROM pprofil.samples
WHERE 1
GROUP BY minute, service
ORDER BY minute, service
