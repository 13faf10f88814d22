package episodes

import (
	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// wishartDraws samples noise of one order and counts the draws.
type wishartDraws struct {
	sampler *random.Wishart
	count   int
}

// addRow adds a row to the sums on the support.
func (t *thresholdedLassoRun) addRow(i int) {
	q := len(t.support)
	z, x := t.z[:q+1], t.rows[i*t.dim:(i+1)*t.dim]
	for a, j := range t.support {
		z[a] = x[j]
	}
	if t.as.Repairs.Bound {
		packed.Shorten(z[:q], t.as.Row)
	}
	z[q] = t.rewards[i]
	packed.AddOuter(t.sum[:packed.Size(q+1)], z)
}

// drawNode draws the noise of the node of a level.
func (t *thresholdedLassoRun) drawNode(level int) {
	if t.wishart == nil {
		return
	}
	order := len(t.support) + 1
	w := t.wishart[order]
	w.count++
	t.noise.Wishart(t.nodes[level][:packed.Size(order)], w.sampler)
}

// write writes the sum of the rows and of the nodes in use into the release.
func (t *thresholdedLassoRun) write() {
	q := len(t.support)
	if q == 0 {
		return
	}
	copy(t.release.Gram, t.sum)
	copy(t.release.Cross, t.sum[packed.Size(q):])
	if t.wishart == nil {
		return
	}
	for level, node := range t.nodes {
		if t.count>>level&1 == 0 {
			continue
		}
		for i := range t.release.Gram {
			t.release.Gram[i] += node[i]
		}
		for i := range t.release.Cross {
			t.release.Cross[i] += node[packed.Size(q)+i]
		}
	}
}
