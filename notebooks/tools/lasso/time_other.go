//go:build !unix

package main

import "time"

var started = time.Now()

// processorTime returns the time since the start, for want of a better one.
func processorTime() time.Duration { return time.Since(started) }
