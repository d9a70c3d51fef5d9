# SPDX-License-Identifier: LGPL-2.1-or-later
# What the scripts of make bench share.

# median [FILE]: the median of numbers, one a line
median() { sort -g "$@" | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
