-- SPDX-License-Identifier: LGPL-2.1-or-later
-- Folded stacks, for a flame graph:
--   clickhouse-client < flame-graph.sql | pprofil convert -o flame.svg -
-- In place of WHERE 1, say which rows. The numbers are samples. If rates differ among the profiles, time is better: in
-- place of stack_samples in the first line take intDiv(stack_ns + 500, 1000), and give pprofil --values time.
-- In a folded stack a semicolon separates names, so that of a name becomes a colon.
SELECT concat(names, ' ', toString(stack_samples))
FROM
(
    SELECT
        arrayMap(name -> replaceRegexpAll(replaceAll(name, ';', ':'), '[\\x01-\\x1f\\x7f]', ' '), frames) AS clean,
        arrayStringConcat(clean, ';') AS names,
        stack_samples,
        stack_ns
    FROM
    (
        SELECT
            stack AS frames,
            sum(samples) AS stack_samples,
            sum(ns) AS stack_ns
        FROM pprofil.samples
        WHERE 1
        GROUP BY stack
    )
)
WHERE stack_samples > 0
ORDER BY names
FORMAT TabSeparatedRaw
