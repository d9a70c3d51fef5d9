-- SPDX-License-Identifier: LGPL-2.1-or-later
-- The functions that take most time themselves (self), as pprofil report prints them.
-- In place of WHERE 1, say which rows, for instance: WHERE service = 'web' AND time >= now() - 3600
SELECT
    function,
    object,
    sum(samples) AS self_samples,
    sum(ns) AS self_ns,
    round(100 * self_ns / (
        SELECT sum(ns) FROM pprofil.samples
        WHERE 1
    ), 2) AS self_percent
FROM pprofil.samples
WHERE 1
GROUP BY function, object
ORDER BY self_ns DESC, function, object
LIMIT 50
