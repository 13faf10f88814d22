//go:build !tagged

package toy

const tagged = 0
