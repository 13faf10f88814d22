package privacytest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/mechanism/tally"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// QueryCase is a query whose sensitivity is to be measured.
type QueryCase struct {
	Of    tally.Additive // the query, and the noise that its author pays for
	Setup privacy.Setup  // its horizon bounds the batches
	Tries int            // pairs of batches of each length; 0 means 4,000
}

// Moved is the sensitivity of a query: what its author states, and the most that a search has seen.
// Both are in the units of the answer, in the norm that the noise is for. Of batches of several
// lengths, it is about the one where Seen is the most in units of Stated.
type Moved struct {
	Stated, Seen float64
	Norm         string // "L1", for Laplace noise, or "L2", for Gaussian noise
	// Batches are the two batches between which the answer moves by Seen. They differ in the record at
	// Place, and can have numbers beyond their bounds, which the mechanism clips.
	Batches [2][]privacy.Record
	Place   int
	Answers [2][]float64
	Tries   int // pairs of batches that were tried, of all lengths
}

// String says what was seen, and between which batches.
func (m Moved) String() string {
	if m.Tries == 0 {
		return "no pair of batches was tried"
	}
	among := fmt.Sprintf("%d others", len(m.Batches[0])-1)
	if len(m.Batches[0]) <= 9 {
		among = show(slices.Concat(m.Batches[0][:m.Place], m.Batches[0][m.Place+1:])...)
	}
	return fmt.Sprintf("one record moves the answer by %.6g in the %s norm, and its author states %.6g: %s in place of %s, as record %d of %d among %s, makes %v of %v",
		m.Seen, m.Norm, m.Stated, show(m.Batches[1][m.Place]), show(m.Batches[0][m.Place]), m.Place+1, len(m.Batches[0]), among, m.Answers[1], m.Answers[0])
}

// show describes records by what they hold.
func show(records ...privacy.Record) string {
	if len(records) == 0 {
		return "none"
	}
	var all []string
	for _, r := range records {
		var parts []string
		if len(r.X) > 0 {
			parts = append(parts, fmt.Sprintf("x %.6g", r.X))
		}
		for i, y := range r.Y {
			parts = append(parts, fmt.Sprintf("%.6g of arm %d", y, r.Arms[i]))
		}
		all = append(all, "("+strings.Join(parts, ", ")+")")
	}
	return strings.Join(all, " ")
}

// SearchQuery measures how far one record moves the answer of a query, on the query itself: it
// looks for two batches that differ in one record, and whose answers are as far apart as possible.
//
// It begins with batches that are equal, at one end, at both in turn, half and half, ordered, tied,
// random, or beyond their bounds, each with a record that is replaced by another. From the best
// pairs it climbs: it changes other records, or the two, and keeps what moves the answer as far or
// further. Up to four lengths of the batches of c.Of are tried, the shortest and the longest among
// them. The seed is fixed.
//
// It is an error if an answer moves by more than is stated, if there is no answer, or if the same
// records are answered in another way later. A stated sensitivity that is never exceeded is not
// proved: nobody has tried all batches.
func SearchQuery(c QueryCase) (best Moved, err error) {
	m, err := c.Of.Open(c.Setup)
	if err != nil {
		return best, err
	}
	for _, n := range some(m.(interface{ Lengths() []int }).Lengths()) {
		found, err := c.search(n)
		tries := best.Tries + found.Tries
		if err != nil || best.Tries == 0 || found.Seen*best.Stated > best.Seen*found.Stated {
			best = found
		}
		if best.Tries = tries; err != nil {
			return best, err
		}
	}
	if !(best.Seen <= best.Stated*(1+1e-9)) {
		return best, fmt.Errorf("%v", best)
	}
	return best, nil
}

// some returns up to four of some lengths, in ascending order, with the least and the largest.
func some(lengths []int) (few []int) {
	lengths = slices.Clone(lengths)
	slices.Sort(lengths)
	for i := range 4 {
		few = append(few, lengths[i*(len(lengths)-1)/3])
	}
	return slices.Compact(few)
}
