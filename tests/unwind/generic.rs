// SPDX-License-Identifier: LGPL-2.1-or-later
// Closures, iterators, boxes and panics that are caught.
use std::collections::HashMap;
use std::panic;

trait Visit {
    fn visit(&self, depth: u32) -> u64;
}

struct Leaf(u64);
struct Node(Vec<Box<dyn Visit + Sync + Send>>);

impl Visit for Leaf {
    fn visit(&self, depth: u32) -> u64 {
        if depth > 0 { self.visit(depth - 1).wrapping_mul(31) } else { self.0 }
    }
}

impl Visit for Node {
    fn visit(&self, depth: u32) -> u64 {
        self.0.iter().map(|child| child.visit(depth % 11)).fold(0, u64::wrapping_add)
    }
}

fn tree(depth: u32, seed: u64) -> Box<dyn Visit + Sync + Send> {
    if depth == 0 {
        return Box::new(Leaf(seed));
    }
    Box::new(Node((0..3).map(|i| tree(depth - 1, seed * 3 + i)).collect()))
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let root = tree(6, 1);
    let mut words: HashMap<String, u64> = HashMap::new();
    for turn in 0u64.. {
        *words.entry(format!("word {}", turn % 1000)).or_insert(0) += root.visit(turn as u32);
        let mut list: Vec<&String> = words.keys().collect();
        list.sort_by_key(|word| word.len() * 7919 % 13);
        let caught = panic::catch_unwind(|| {
            if turn % 2 == 0 {
                panic!("{}", turn);
            }
        });
        words.insert("caught".to_string(), caught.is_err() as u64);
    }
}
