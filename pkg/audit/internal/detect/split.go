package detect

import (
	"fmt"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// split is a score: the log-likelihood ratio of a discrete output, and those of all outputs given
// its value, taken as independent of each other. It sees what a product cannot, such as a value
// that is released of the coordinate that was chosen, and whose sign tells the worlds apart only
// given which one that is.
type split struct {
	*table
	given []product // by the value's place in the table
}

// fewestGiven is the least number of runs of both worlds of which ratios given a value are learned.
const fewestGiven = 60

// newSplit returns the split by an output, of the outputs given, or nil if too few runs have equal
// values.
func newSplit(t *table, outputs []int, worlds [2]Samples) score {
	if len(t.values) > 16 {
		return nil
	}
	var parts [16][2]Samples
	for w, s := range worlds {
		for i := range parts {
			parts[i][w] = Samples{Width: s.Width, Failures: s.Failures}
		}
		for r := range s.Len() {
			row := s.Row(r)
			if i, ok := slices.BinarySearch(t.values, row[t.index]); ok {
				parts[i][w].Flat = append(parts[i][w].Flat, row...)
			}
		}
	}
	s := split{t, make([]product, len(t.values))}
	some := false
	for i := range t.values {
		if parts[i][0].Len()+parts[i][1].Len() < fewestGiven || parts[i][0].Len() == 0 || parts[i][1].Len() == 0 {
			continue
		}
		// The ratios of counts hold the ratio of the value itself, which is the table's.
		value := portable.Log(float64(parts[i][1].Len()) / float64(parts[i][0].Len()))
		for _, j := range outputs {
			if j == t.index {
				continue
			}
			if given := newTable(j, parts[i]); given != nil {
				for k := range given.ratios {
					given.ratios[k] -= value
				}
				for _, v := range given.values {
					if given.dense != nil {
						given.dense[int(v)] -= value
					}
				}
				s.given[i], some = append(s.given[i], given), true
			} else if given := newBins(j, parts[i], value); given != nil {
				s.given[i], some = append(s.given[i], given), true
			}
		}
	}
	if !some {
		return nil
	}
	return s
}

func (s split) Of(out []float64) float64 {
	sum := s.table.Of(out)
	if i, ok := slices.BinarySearch(s.values, out[s.index]); ok {
		sum += s.given[i].Of(out)
	}
	return sum
}

func (s split) String() string {
	return fmt.Sprintf("log-likelihood ratio of %s, and of the others given it", s.name)
}

func (s split) describe(float64, bool) string { return "" }
