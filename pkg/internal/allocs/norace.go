//go:build !race

package allocs

const raced = false
