package datasets

import (
	"io"
	"os"
	"sync"
)

// Citation is the paper that publications which use the data must cite.
const Citation = "F. Maxwell Harper and Joseph A. Konstan. 2015. The MovieLens Datasets: History and Context. " +
	"ACM Transactions on Interactive Intelligent Systems 5, 4, Article 19. https://doi.org/10.1145/2827872"

// Licence sums up the terms of use of MovieLens 100K and 1M. The README beside the data has them in
// full.
const Licence = "The MovieLens data belong to GroupLens, University of Minnesota, which gives no guarantee for them. They are for research; " +
	"commercial use and redistribution need its permission; do not claim its endorsement; publications cite the paper."

var noticed struct {
	sync.Mutex
	done bool
}

// notice prints the terms and the citation, the first time in a process that w is not io.Discard.
func notice(w io.Writer) {
	if w == io.Discard {
		return
	}
	if w == nil {
		w = os.Stderr
	}
	noticed.Lock()
	defer noticed.Unlock()
	if !noticed.done {
		noticed.done = true
		io.WriteString(w, Licence+"\nCite: "+Citation+"\n")
	}
}
