-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The functions that take most time with all that they call (inclusive). A function that is several times on a stack
-- counts once. Equal stacks are summed first, for there are much fewer stacks than rows.
-- In place of WHERE 1, say which rows.
SELECT
    name,
    sum(stack_samples) AS total_samples,
    sum(stack_ns) AS total_ns,
    round(100 * total_ns / (
        SELECT sum(ns) FROM pprofil.samples
        WHERE 1
    ), 2) AS total_percent
FROM
(
    SELECT
        stack,
        sum(samples) AS stack_samples,
        sum(ns) AS stack_ns
    FROM pprofil.samples
    WHERE 1
    GROUP BY stack
)
ARRAY JOIN arrayDistinct(stack) AS name
GROUP BY name
ORDER BY total_ns DESC, name
LIMIT 50
