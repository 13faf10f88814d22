// Package largest finds the largest of some numbers.
package largest
