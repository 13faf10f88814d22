package simulate

// gitVersion returns "": a page has no git.
func gitVersion() string { return "" }

// source returns "".
func source() string { return "" }
