package episodes

import (
	"math"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/mechanism/internal/largest"
)

// descend takes a step of gradient descent from theta. At the first one theta is 0.
func (h *noisyIHTRun) descend(first bool) {
	clear(h.work)
	for i, y := range h.rewards {
		row := h.rows[i*h.dim : (i+1)*h.dim]
		residual := y
		if !first {
			for j, v := range row {
				residual -= float64(v * h.theta[j])
			}
		}
		for j, v := range row {
			h.work[j] += float64(v * residual)
		}
	}
	rate := 2 * h.as.Step / float64(len(h.rewards))
	for j, g := range h.work {
		h.theta[j] += float64(rate * g)
	}
}

// peel chooses the coordinates to keep, appends them to dst, and leaves noisy values in theta.
func (h *noisyIHTRun) peel(at *step, dst []int) []int {
	s := h.as.Sparsity
	for j, v := range h.theta {
		h.sizes[j] = math.Abs(v)
	}
	switch {
	case at.choice == 0:
		dst = largest.Of(h.sizes, s, dst)
	case h.as.Gumbel:
		h.noise.Gumbel(h.work, at.choice)
		for j, v := range h.sizes {
			h.work[j] += v
		}
		dst = largest.Of(h.work, s, dst)
	default:
		for range s {
			h.noise.Laplace(h.work, at.choice)
			for j, v := range h.sizes {
				h.work[j] += v
			}
			for _, j := range dst {
				h.work[j] = math.Inf(-1)
			}
			dst = largest.Of(h.work, 1, dst)
		}
	}
	values := make([]float64, s)
	switch {
	case at.value == 0:
	case h.as.Gumbel:
		h.noise.Gaussian(values, at.value)
	default:
		h.noise.Laplace(values, at.value)
	}
	for i, j := range dst {
		values[i] += h.theta[j]
	}
	clear(h.theta)
	for i, j := range dst {
		h.theta[j] = values[i]
	}
	return dst
}

// project moves theta, which is 0 but on a support, to the nearest point of the L1 ball.
//
// It computes with the distances of the sizes from the largest one, not with the sizes: noise may
// be so much larger than the ball that the radius vanishes beside them.
func project(theta []float64, support []int, radius float64) {
	var sum, most float64
	for _, j := range support {
		size := math.Abs(theta[j])
		sum, most = sum+size, max(most, size)
	}
	if sum <= radius {
		return
	}
	below := make([]float64, len(support)) // distances, in ascending order
	for i, j := range support {
		below[i] = most - math.Abs(theta[j])
	}
	slices.Sort(below)
	// Where k sizes stay above 0, the largest becomes (radius + the sum of their distances)/k.
	var top, distances float64
	for i, d := range below {
		distances += d
		if t := (radius + distances) / float64(i+1); i == 0 || t > d {
			top = t
		}
	}
	for _, j := range support {
		size := max(0, top-(most-math.Abs(theta[j])))
		theta[j] = math.Copysign(min(size, radius), theta[j])
	}
}
