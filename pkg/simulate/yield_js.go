package simulate

import "time"

var yielded time.Time

// yield gives the only thread to whoever waits for it, ten times a second: to the reports, which
// need JavaScript to be written.
func yield() {
	if time.Since(yielded) > 100*time.Millisecond {
		time.Sleep(time.Millisecond)
		yielded = time.Now()
	}
}
