-- SPDX-License-Identifier: LGPL-2.1-or-later
-- How unevenly the ranks of a job spend their time in each function, as pprofil report --imbalance prints it: least,
-- median and most, the rank with most, and how much more than the mean this is. A rank that is never in a function
-- counts as 0 there, so the number of ranks is taken from all rows.
-- In place of WHERE 1, say which rows, for instance: WHERE job = '4711'
SELECT
    function,
    object,
    greatest((
        SELECT uniqExact(rank) FROM pprofil.samples
        WHERE 1
            AND rank != ''
    ), 1) AS ranks,
    arrayResize(arrayReverseSort(groupArray(rank_ns)), ranks) AS sorted,
    sorted[ranks] AS min_ns,
    (sorted[intDiv(ranks + 1, 2)] + sorted[intDiv(ranks, 2) + 1]) / 2 AS median_ns,
    sorted[1] AS max_ns,
    argMax(rank, rank_ns) AS max_rank,
    max_ns * ranks / sum(rank_ns) - 1 AS imbalance
FROM
(
    SELECT
        function,
        object,
        rank,
        sum(ns) AS rank_ns
    FROM pprofil.samples
    WHERE 1
        AND rank != ''
    GROUP BY function, object, rank
)
GROUP BY function, object
ORDER BY max_ns - sum(rank_ns) / ranks DESC, function, object
LIMIT 50
