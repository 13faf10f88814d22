//go:build page

package describe

// Value returns nothing: what a page does not keep need not be told apart.
func Value(any) ([]string, Code) { return nil, Code{} }

// Difference returns "", as descriptions are empty.
func Difference([]string, []string) string { return "" }
