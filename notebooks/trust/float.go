package trust

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/mechanism"
	"github.com/dpbandits/dpbandits/pkg/random"
)

// Floating-point noise (Mironov, "On significance of the least significant bits for differential
// privacy", 2012) and exact discrete noise.

// TextbookLaplace draws Laplace noise of scale 1 by inversion: the logarithm of a uniform number
// with 53 bits, and a sign.
func TextbookLaplace(rng *rand.Rand) float64 {
	z := -math.Log(1 - rng.Float64())
	if rng.Uint64()&1 == 0 {
		return -z
	}
	return z
}

// beyondWorld1 reports that the release of a float64 Laplace mechanism cannot come from world 1,
// whose true value is 1: within 1/2 of zero that world's noise is between -3/2 and -1/2, a multiple
// of 2^-53, and so is the sum.
func beyondWorld1(y float64) bool {
	scaled := math.Ldexp(y, 53)
	return math.Abs(y) < 0.5 && scaled != math.Trunc(scaled)
}

// LowBits measures the share of releases in each world that prove world 0 by their low bits.
func LowBits(releases int, release func(world int) float64) (shares [2]float64) {
	for w := range shares {
		for range releases {
			if beyondWorld1(release(w)) {
				shares[w] += 1 / float64(releases)
			}
		}
	}
	return shares
}

// released is a way to release a value of 0 or 1, the world, with epsilon = 1.
type released struct {
	name  string
	leaks bool
	draw  func(world int) float64
}

func laplaces() ([]released, error) {
	rng, n, z := random.New(Seed, 0, "textbook"), Noise("low bits"), []float64{0}
	secure := &mechanism.SecureLaplace{Epsilon: 1, Dim: 1, Bound: 0.5} // a record is -1/2 or 1/2
	if err := secure.Init(); err != nil {
		return nil, err
	}
	return []released{
		{"textbook inversion, float64", true, func(world int) float64 { return float64(world) + TextbookLaplace(rng) }},
		{"privacy.Noise, float64, seeded", true, func(world int) float64 {
			n.Laplace(z, 1)
			return float64(world) + z[0]
		}},
		{"mechanism.SecureLaplace, discrete, system's randomness", false, func(world int) float64 {
			if err := errors.Join(secure.Add([]float64{float64(world) - 0.5}), secure.Release(z)); err != nil {
				panic(err) // a programmer's error
			}
			return z[0] + 0.5
		}},
	}, nil
}

// discreteDraws draws integers from the system's randomness and returns the counts from -reach to
// reach and the probabilities.
func discreteDraws(gaussian bool, scale uint64, draws, reach int) (counts, p []float64, err error) {
	var noise interface{ Rand(rand.Source) int64 }
	weight := func(z float64) float64 { return math.Exp(-math.Abs(z) / float64(scale)) }
	if gaussian {
		noise, err = random.NewDiscreteGaussian(scale*scale, 1)
		weight = func(z float64) float64 { return math.Exp(-z * z / (2 * float64(scale*scale))) }
	} else {
		noise, err = random.NewDiscreteLaplace(scale, 1)
	}
	if err != nil {
		return nil, nil, err
	}
	system := random.NewSystem()
	counts, p = make([]float64, 2*reach+1), make([]float64, 2*reach+1)
	for range draws {
		if z := noise.Rand(system); z >= -int64(reach) && z <= int64(reach) {
			counts[int(z)+reach]++
		}
	}
	total := 0.0
	for z := -2000; z <= 2000; z++ {
		total += weight(float64(z))
	}
	for i := range p {
		p[i] = weight(float64(i-reach)) / total
	}
	return counts, p, nil
}

func claimLowBits(s lab.Scale) (string, error) {
	releases := cell.Pick(s, 20_000, 100_000, 1_000_000)
	all, err := laplaces()
	if err != nil {
		return "", err
	}
	var evidence string
	for _, r := range all {
		shares := LowBits(releases, r.draw)
		if shares[1] != 0 {
			return "", fmt.Errorf("%s: %.4f of the releases in world 1 prove world 0", r.name, shares[1])
		}
		if r.leaks != (shares[0] > 0.1) || !r.leaks && shares[0] != 0 {
			return "", fmt.Errorf("%s: %.4f of the releases in world 0 prove it", r.name, shares[0])
		}
		evidence += fmt.Sprintf("%s: %.1f%%; ", r.name, 100*shares[0])
	}
	return evidence + fmt.Sprintf("%s releases", cell.Thousands(releases)), nil
}

// claimDiscrete is a chi-square test of both laws. The system's randomness has no seed: five
// standard deviations, a false alarm below 1e-5 in each run.
func claimDiscrete(s lab.Scale) (string, error) {
	const scale, reach = 4, 14
	draws := cell.Pick(s, 50_000, 200_000, 1_000_000)
	var evidence string
	for _, gaussian := range []bool{true, false} {
		counts, p, err := discreteDraws(gaussian, scale, draws, reach)
		if err != nil {
			return "", err
		}
		rest, restP, square := float64(draws), 1.0, 0.0
		add := func(count, p float64) {
			want := p * float64(draws)
			square += (count - want) * (count - want) / want
		}
		for i := range counts {
			add(counts[i], p[i])
			rest, restP = rest-counts[i], restP-p[i]
		}
		add(rest, restP)
		freedom := float64(len(counts))
		// Wilson and Hilferty: the cube root of a chi-square over its degrees of freedom is nearly
		// normal.
		score := (math.Cbrt(square/freedom) - (1 - 2/(9*freedom))) / math.Sqrt(2/(9*freedom))
		if math.Abs(score) > 5 {
			return "", fmt.Errorf("Gaussian %v: chi-square %.1f with %.0f degrees of freedom, %.1f standard deviations off", gaussian, square, freedom, score)
		}
		evidence += fmt.Sprintf("%s: χ² = %.1f with %.0f degrees of freedom; ", map[bool]string{true: "Gaussian", false: "Laplace"}[gaussian], square, freedom)
	}
	return evidence + fmt.Sprintf("%s draws each", cell.Thousands(draws)), nil
}
