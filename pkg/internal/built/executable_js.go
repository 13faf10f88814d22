package built

// executable returns "": a program in a browser has no file.
func executable() string { return "" }
