package detect

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpbandits/dpbandits/pkg/internal/portable"
)

// maxValues is the largest number of values of a discrete output.
const maxValues = 256

// ratio is a score that estimates the log-likelihood ratio of world 1 to world 0 from one output. A
// threshold on it is a likelihood-ratio set, the most powerful kind of event (Neyman and Pearson).
type ratio interface {
	score
	apart() float64 // how far it finds the worlds apart: symmetrised Kullback-Leibler divergence
}

// table is the ratio of a discrete output, estimated from counts. Half a run is added to each count
// (Krichevsky and Trofimov), so that a value that one world never showed has a finite ratio.
type table struct {
	coordinate
	values     []float64 // ascending
	ratios     []float64 // by value
	dense      []float64 // ratios by value, where the values are small whole numbers
	divergence float64   // symmetrised, for ranking
}

// newTable returns the table of an output, or nil if it takes many values or only one.
func newTable(index int, worlds [2]Samples) *table {
	n := min(worlds[0].Len(), worlds[1].Len())
	counts := make(map[float64]*[2]float64)
	for i := range max(worlds[0].Len(), worlds[1].Len()) {
		for w := range worlds {
			if i >= worlds[w].Len() {
				continue
			}
			v := worlds[w].Row(i)[index]
			c := counts[v]
			if c == nil {
				if c = new([2]float64); len(counts) >= min(maxValues, n/4) {
					return nil
				}
				counts[v] = c
			}
			c[w]++
		}
	}
	if len(counts) < 2 {
		return nil
	}
	t := &table{coordinate: coordinate{index, worlds[0].name(index)}}
	for v := range counts {
		t.values = append(t.values, v)
	}
	slices.Sort(t.values)
	total := float64(n) + float64(float64(len(t.values))/2)
	whole := true
	for _, v := range t.values {
		c := counts[v]
		p, q := (c[1]+0.5)/total, (c[0]+0.5)/total
		t.ratios = append(t.ratios, portable.Log(p/q))
		t.divergence += float64((p - q) * portable.Log(p/q))
		whole = whole && v >= 0 && v < 4096 && v == math.Trunc(v)
	}
	if whole {
		t.dense = make([]float64, int(t.values[len(t.values)-1])+1)
		for i, v := range t.values {
			t.dense[int(v)] = t.ratios[i]
		}
	}
	return t
}

// Of returns the ratio of a run's value, and 0 for a value that was never seen.
func (t *table) Of(out []float64) float64 {
	v := out[t.index]
	if t.dense != nil {
		if i := int(v); i >= 0 && i < len(t.dense) && float64(i) == v {
			return t.dense[i]
		}
		return 0
	}
	if i, ok := slices.BinarySearch(t.values, v); ok {
		return t.ratios[i]
	}
	return 0
}

func (t *table) String() string { return "log-likelihood ratio of " + t.name }

func (t *table) apart() float64 { return t.divergence }

// describe lists the values of the event, if they are few.
func (t *table) describe(at float64, below bool) string {
	var set []string
	for i, v := range t.values {
		if (t.ratios[i] >= at) != below {
			set = append(set, fmt.Sprintf("%g", v))
		}
	}
	if len(set) > 8 {
		return ""
	}
	return fmt.Sprintf("%s in {%s}", t.name, strings.Join(set, ", "))
}
