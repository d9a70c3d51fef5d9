-- SPDX-License-Identifier: LGPL-2.1-or-later
-- What a deploy has changed: the share of each function in the time, before and after, the largest changes first.
-- Versions are labels here (pprofil convert --label version=1.2). A deploy at a known time can also be asked for: in
-- place of the two conditions take time < '2026-11-29 12:00:00', and time >= '2026-11-29 12:00:00'.
-- In place of WHERE 1, say which rows. This query does not tell changes from chance: pprofil diff of two results of
-- flame-graph.sql does.
WITH
    labels.value[indexOf(labels.key, 'version')] = '1.2' AS before,
    labels.value[indexOf(labels.key, 'version')] = '1.3' AS after
SELECT
    function,
    object,
    sumIf(ns, before) AS before_ns,
    sumIf(ns, after) AS after_ns,
    100 * before_ns / (
        SELECT sumIf(ns, labels.value[indexOf(labels.key, 'version')] = '1.2') FROM pprofil.samples
        WHERE 1
    ) AS before_percent,
    100 * after_ns / (
        SELECT sumIf(ns, labels.value[indexOf(labels.key, 'version')] = '1.3') FROM pprofil.samples
        WHERE 1
    ) AS after_percent,
    after_percent - before_percent AS change
FROM pprofil.samples
WHERE 1
GROUP BY function, object
ORDER BY abs(change) DESC, function, object
LIMIT 50
