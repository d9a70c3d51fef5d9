-- SPDX-License-Identifier: LGPL-2.1-or-later
-- How many CPUs each service uses, minute by minute. A row may last longer than a minute, and begin at any second of
-- it, so its time is shared out to the minutes that it touches. Rows of more than a day count as if they lasted a day.
-- In place of WHERE 1, say which rows.
SELECT
    minute,
    service,
    round(sum(ns * (least(row_end, minute_begin + 60) - greatest(row_begin, minute_begin)) / (row_end - row_begin))
        / 60e9, 3) AS cpus
FROM
(
    SELECT
        service,
        ns,
        toFloat64(toUInt32(time)) AS row_begin,
        row_begin + least(greatest(duration_ns / 1e9, 0.001), 86400.) AS row_end,
        floor(row_begin / 60) AS first,
        60 * (first + arrayJoin(range(toUInt32(ceil(row_end / 60) - first)))) AS minute_begin,
        toDateTime(toUInt32(minute_begin)) AS minute
    FROM pprofil.samples
    WHERE 1
)
GROUP BY minute, service
ORDER BY minute, service
