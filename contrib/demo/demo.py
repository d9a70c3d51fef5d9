# SPDX-License-Identifier: LGPL-2.1-or-later
# Four kinds of work, one after the other, again and again. flame.svg and heat.svg are profiles of this program.
import json
import random
import re
import time
import zlib

random.seed(1)
words = [''.join(random.choice('abcdefgh') for _ in range(6)) for _ in range(2000)]
def parse(n):
    for _ in range(n):
        text = json.dumps([{'id': i, 'name': words[i % 2000], 'tags': words[i % 50:i % 50 + 5]} for i in range(500)])
        json.loads(text)
def search(n):
    pattern = re.compile(r'(a[b-d]+e)+|f.g')
    for _ in range(n):
        for word in words: pattern.search(word)
def squeeze(n):
    data = ' '.join(words).encode()
    for _ in range(n): zlib.compress(data, 6)
def order(n):
    for _ in range(n): sorted(words, key=lambda w: w[::-1])
for _ in range(40):
    parse(12)
    search(24)
    squeeze(24)
    order(60)
    time.sleep(0.12)
