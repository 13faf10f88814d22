//go:build !js

package simulate

// yield does nothing: workers and reports run at the same time.
func yield() {}
