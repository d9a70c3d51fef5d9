// SPDX-License-Identifier: LGPL-2.1-or-later

// Does all for which a Go program leaves the stack of its goroutine: allocates and collects, waits for other
// goroutines, asks for the time, grows stacks. The arguments are the time that this takes, in seconds, and the time for
// which the program only computes before.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

type node struct{ left, right *node }

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

func (n *node) count() int {
	if n == nil {
		return 0
	}
	return 1 + n.left.count() + n.right.count()
}

func allocations(end time.Time) (count int) {
	kept := tree(14)
	for time.Now().Before(end) {
		count += tree(12).count()
	}
	return count + kept.count()
}

func clocks(end time.Time) (count int) {
	for time.Now().Before(end) {
		count++
	}
	return count
}

func messages(end time.Time) (count int) {
	to, from := make(chan int), make(chan int)
	go func() {
		for number := range to {
			from <- number + 1
		}
	}()
	for count%256 != 0 || time.Now().Before(end) {
		to <- count
		count = <-from
	}
	close(to)
	return count
}

//go:noinline
func deep(depth int, words [16]int) int {
	if depth == 0 {
		return words[3]
	}
	words[depth%16]++
	return deep(depth-1, words) + words[2]
}

func growing(end time.Time) (count int) {
	done := make(chan int)
	for time.Now().Before(end) {
		go func() { done <- deep(200, [16]int{}) }()
		count += <-done
	}
	return count
}

// All on the stack of the goroutine. Asks for the time once in a while, and then is on the scheduler stack.
//
//go:noinline
func compute(end time.Time) (sum int) {
	for time.Now().Before(end) {
		for i := 0; i < 20_000_000; i++ {
			sum += i ^ sum>>3
		}
	}
	return sum
}

func main() {
	before, _ := strconv.ParseFloat(os.Args[2], 64)
	total := compute(time.Now().Add(time.Duration(before * float64(time.Second))))
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	quarter := time.Duration(seconds / 4 * float64(time.Second))
	for _, part := range []func(time.Time) int{allocations, clocks, messages, growing} {
		total += part(time.Now().Add(quarter))
	}
	fmt.Println(total)
}
