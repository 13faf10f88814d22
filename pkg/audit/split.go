package audit

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
func newSplit(t *table, outputs []int, worlds [2]samples) score {
	if len(t.values) > 16 {
		return nil
	}
	var parts [16][2]samples
	for w, s := range worlds {
		for i := range parts {
			parts[i][w] = samples{width: s.width, failures: s.failures}
		}
		for r := range s.len() {
			row := s.row(r)
			if i, ok := slices.BinarySearch(t.values, row[t.index]); ok {
				parts[i][w].flat = append(parts[i][w].flat, row...)
			}
		}
	}
	s := split{t, make([]product, len(t.values))}
	some := false
	for i := range t.values {
		if parts[i][0].len()+parts[i][1].len() < fewestGiven || parts[i][0].len() == 0 || parts[i][1].len() == 0 {
			continue
		}
		// The ratios of counts hold the ratio of the value itself, which is the table's.
		value := portable.Log(float64(parts[i][1].len()) / float64(parts[i][0].len()))
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

func (s split) of(out []float64) float64 {
	sum := s.table.of(out)
	if i, ok := slices.BinarySearch(s.values, out[s.index]); ok {
		sum += s.given[i].of(out)
	}
	return sum
}

func (s split) String() string {
	return fmt.Sprintf("log-likelihood ratio of %s, and of the others given it", s.name)
}

func (s split) describe(float64, bool) string { return "" }
