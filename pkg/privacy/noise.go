package privacy

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/internal/packed"
	"github.com/dpbandits/dpbandits/pkg/internal/portable"
	"github.com/dpbandits/dpbandits/pkg/internal/ziggurat"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Noise draws all private noise. It reads a stream of its own, which nothing else reads, and writes
// each draw into the stream's Ledger, if it has one.
//
// Noise from a seeded source makes research runs repeatable. To protect real people use that from
// random.System, and its discrete draws alone: floating-point samplers leak through their low
// bits (Mironov 2012).
type Noise struct {
	normals *random.Normals
	rng     *rand.Rand
	ledger  *Ledger // may be nil
	script  Script
	system  *random.System // nil if the noise is seeded
	seeded  seeded         // may be nil
}

// seeded is a seeded source that is told if a mechanism draws from the operating system in its
// place: a run that does so cannot be repeated.
type seeded interface{ Elsewhere() }

// NewNoise returns noise that is seeded from a source. It is nil if the source is: a mechanism that
// is started with that refuses its records.
func NewNoise(source rand.Source) *Noise {
	if script, ok := source.(Script); ok {
		return &Noise{script: script}
	}
	ledger, _ := source.(*Ledger)
	for inner := ledger; inner != nil; inner, _ = source.(*Ledger) {
		source = inner.source
	}
	if source == nil {
		return nil
	}
	n := &Noise{normals: random.NewNormals(source), rng: rand.New(source), ledger: ledger}
	n.system, _ = source.(*random.System)
	n.seeded, _ = source.(seeded)
	return n
}

// System reports whether the randomness is the operating system's. Otherwise it is seeded, and a
// run can be repeated.
func (n *Noise) System() bool { return n != nil && n.system != nil }

// Source returns the operating system's randomness that the noise is drawn from, for a mechanism
// that may draw from no other. It is nil if the noise is seeded, or n is nil: the mechanism then
// opens a source of its own, and the run cannot be repeated.
func (n *Noise) Source() *random.System {
	if n == nil {
		return nil
	}
	if n.system == nil && n.seeded != nil {
		n.seeded.Elsewhere()
	}
	return n.system
}

// fresh returns the generator of normal variables. One over the system's randomness is seeded anew
// for each draw, so that what was drawn says nothing of what comes: a run whose past is known goes
// on with other noise.
func (n *Noise) fresh() *random.Normals {
	if n.system != nil {
		n.normals.Seed(n.system)
	}
	return n.normals
}

func (n *Noise) note(law Law) {
	if n.ledger != nil {
		n.ledger.note(law, 1)
	}
}

// scripted notes a draw of a law, and reports whether a script has made it.
func (n *Noise) scripted(law Law, dst []float64) bool {
	n.note(law)
	if n.script == nil {
		return false
	}
	n.script(law, dst)
	return true
}

// Gaussian fills dst with independent N(0, sd^2) numbers.
func (n *Noise) Gaussian(dst []float64, sd float64) {
	law := GaussianLaw(len(dst), sd)
	if n.scripted(law, dst) {
		return
	}
	n.fresh().Fill(dst)
	for i := range dst {
		dst[i] *= sd
	}
}

// GaussianEach fills dst as a call of Gaussian for each of its numbers does, and is faster.
func (n *Noise) GaussianEach(dst []float64, sd float64) {
	law := GaussianLaw(1, sd)
	if n.ledger != nil && len(dst) > 0 {
		n.ledger.note(law, len(dst))
	}
	if n.script != nil {
		for i := range dst {
			n.script(law, dst[i:i+1])
		}
		return
	}
	n.fresh().Fill(dst)
	for i := range dst {
		dst[i] *= sd
	}
}

// GaussianLaw returns the law of Gaussian.
func GaussianLaw(dim int, sd float64) Law { return Law{Kind: kindGaussian, Dim: dim, Scale: sd} }

// SymmetricGaussian fills dst with a symmetric dim x dim Gaussian matrix, packed by rows of its
// lower triangle. It is Z = (Z' + Z'^T)/sqrt(2), where Z' has independent N(0, sd^2) entries: the
// standard deviation is sd off the diagonal and sqrt(2) sd on it. A symmetric change D of the
// released matrix has mu = |D|_F/(sqrt(2) sd).
func (n *Noise) SymmetricGaussian(dst []float64, dim int, sd float64) {
	law := SymmetricGaussianLaw(dim, sd)
	if n.scripted(law, dst) {
		return
	}
	n.fresh().Fill(dst)
	packed.Scale(dst, dim, sd, math.Sqrt2*sd)
}

// GaussianPair fills the first numbers of dst as SymmetricGaussian does and the others as Gaussian
// does, in that order, each with its standard deviation. It is faster.
func (n *Noise) GaussianPair(dst []float64, dim int, sd, vectorSD float64) {
	matrix, vector := dst[:packed.Size(dim)], dst[packed.Size(dim):]
	if n.script != nil {
		n.SymmetricGaussian(matrix, dim, sd)
		n.Gaussian(vector, vectorSD)
		return
	}
	n.note(SymmetricGaussianLaw(dim, sd))
	n.note(GaussianLaw(len(vector), vectorSD))
	n.fresh().Fill(dst)
	packed.Scale(matrix, dim, sd, math.Sqrt2*sd)
	for i := range vector {
		vector[i] *= vectorSD
	}
}

// SymmetricGaussianLaw returns the law of SymmetricGaussian.
func SymmetricGaussianLaw(dim int, sd float64) Law {
	return Law{Kind: kindSymmetricGaussian, Dim: dim, Scale: sd}
}

// Wishart fills dst with a draw of w, packed by rows of its lower triangle.
func (n *Noise) Wishart(dst []float64, w *random.Wishart) {
	law := WishartLaw(w)
	if n.scripted(law, dst) {
		return
	}
	w.Rand(n.fresh(), dst)
}

// WishartLaw returns the law of Wishart.
func WishartLaw(w *random.Wishart) Law {
	return Law{Kind: kindWishart, Dim: w.Dim(), Scale: w.Scale(), Shape: float64(w.Freedom())}
}

// Laplace fills dst with independent Laplace numbers of density exp(-|z|/scale)/(2 scale).
func (n *Noise) Laplace(dst []float64, scale float64) {
	law := LaplaceLaw(len(dst), scale)
	if n.scripted(law, dst) {
		return
	}
	for i := range dst {
		z := ziggurat.Exponential(n.rng) * scale
		if n.rng.Uint64()&1 == 0 {
			z = -z
		}
		dst[i] = z
	}
}

// LaplaceLaw returns the law of Laplace.
func LaplaceLaw(dim int, scale float64) Law { return Law{Kind: kindLaplace, Dim: dim, Scale: scale} }

// Gumbel fills dst with independent Gumbel numbers, -scale ln(E) for a standard exponential E.
func (n *Noise) Gumbel(dst []float64, scale float64) {
	law := GumbelLaw(len(dst), scale)
	if n.scripted(law, dst) {
		return
	}
	for i := range dst {
		dst[i] = scale * ziggurat.Gumbel(n.rng)
	}
}

// GumbelLaw returns the law of Gumbel.
func GumbelLaw(dim int, scale float64) Law { return Law{Kind: kindGumbel, Dim: dim, Scale: scale} }

// Response returns the truth in [0, choices) with probability e^eps/(e^eps + choices - 1), and each
// other choice with probability 1/(e^eps + choices - 1): randomised response (Warner 1965).
func (n *Noise) Response(truth, choices int, epsilon float64) int {
	n.note(ResponseLaw(choices, epsilon))
	if n.script != nil {
		return truth
	}
	lie := float64(float64(choices-1) * portable.Exp(-epsilon))
	lie /= 1 + lie
	// Of 2^53 equal steps those below lie, at least one: a lie is never less likely than it must be.
	if u := 1 - float64(n.rng.Float64()) - 0x1p-53; !(u < lie) || choices == 1 {
		return truth
	}
	other := n.rng.IntN(choices - 1) // among the choices that are not the truth
	if other >= truth {
		other++
	}
	return other
}

// ResponseLaw returns the law of Response.
func ResponseLaw(choices int, epsilon float64) Law {
	return Law{Kind: kindResponse, Dim: 1, Scale: epsilon, Shape: float64(choices)}
}

// Shuffle permutes order uniformly at random, whatever the order before.
func (n *Noise) Shuffle(order []int) {
	n.note(ShuffleLaw(len(order)))
	if n.script != nil {
		return
	}
	for i := len(order) - 1; i > 0; i-- {
		j := n.rng.IntN(i + 1)
		order[i], order[j] = order[j], order[i]
	}
}

// ShuffleLaw returns the law of Shuffle.
func ShuffleLaw(dim int) Law { return Law{Kind: kindShuffle, Dim: dim} }

// Script is a source of noise that a test prescribes; it hides nobody. NewNoise takes it where it
// takes a seeded source, so that a whole learner can be run under it. The function writes the
// numbers of each draw; a draw of integers takes them rounded. Response answers truthfully, Shuffle
// changes nothing, and Round rounds down. No Ledger is written.
type Script func(law Law, dst []float64)

// Uint64 panics: whoever draws bits does not say by which law.
func (Script) Uint64() uint64 { panic("privacy: Script: noise that is not drawn by a privacy.Noise") }

// ScriptedNoise returns the noise of a Script.
func ScriptedNoise(fill Script) *Noise { return NewNoise(fill) }
