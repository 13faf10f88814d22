package broken

import (
	"math"
	"math/rand/v2"

	"github.com/dpbandits/dpbandits/pkg/audit"
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// What authors of statistics, devices and learners get wrong, each a claim that is wider than what
// is typed: a law that is not counted, an amplification that nothing grants, a number that leaves
// beside the release.

// fixture is a mechanism with a bug. claim is its pure epsilon.
func fixture(name, origin string, claim, exact float64, outputs, runs int, release func(world int, n *privacy.Noise, rng *rand.Rand, out []float64)) audit.Mechanism {
	return audit.Mechanism{
		Name: name, Origin: origin, Claim: privacy.Budget{Epsilon: claim}, Exact: exact, Outputs: outputs, Runs: runs,
		Release: func(world int, source rand.Source, out []float64) error {
			clear(out)
			release(world, privacy.NewNoise(source), rand.New(source), out)
			return nil
		},
	}
}

// laplace draws one number.
func laplace(n *privacy.Noise, scale float64) float64 {
	var z [1]float64
	n.Laplace(z[:], scale)
	return z[0]
}

// firstLawOnly releases a bit by randomised response at 0.1 and another at 5, and counts the first
// law of the two.
func firstLawOnly() audit.Mechanism {
	return fixture("two laws, of which the first counts", "several laws listed as one release", 0.1, 5.1, 2, 10000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			out[0], out[1] = float64(n.Response(world, 2, 0.1)), float64(n.Response(world, 2, 5))
		})
}

// noShuffler sends bits by randomised response at 1.5 to a server, and claims what a shuffler of
// 5,000 messages would grant.
func noShuffler() audit.Mechanism {
	return fixture("amplified, and never shuffled", "amplification by a shuffler that the protocol does not have", 0.2, 1.5, 1, 5000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			out[0] = float64(n.Response(world, 2, 1.5))
		})
}

// orderKept is a shuffler of 8 messages that draws a permutation, and hands the messages on in the
// order in which they came.
func orderKept() audit.Mechanism {
	return fixture("a shuffler that keeps the order", "a permutation is drawn and not applied", 0.8, 2, 8, 5000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			order := make([]int, len(out))
			n.Shuffle(order)
			for i := range out {
				bit := i % 2
				if i == 3 {
					bit = world
				}
				out[i] = float64(n.Response(bit, 2, 2))
			}
		})
}

// twoBitsAsOne is a device that reports two bits of one user, and claims one.
func twoBitsAsOne() audit.Mechanism {
	return fixture("a device that sends two bits and claims one", "a message of two draws", 1, 2, 2, 10000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			for i := range out {
				out[i] = float64(n.Response(world, 2, 1))
			}
		})
}

// rawWidth releases a private mean of 8 rewards, and beside it a confidence width made of their
// variance.
func rawWidth() audit.Mechanism {
	return fixture("a width from the raw variance", "an empirical Bernstein bound beside a private mean", 1, math.Inf(1), 2, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			var sum, squares float64
			for i := range 8 {
				y := 0.5
				if i == 0 {
					y = float64(float64(world)/2) + 0.5
				}
				sum += y
				squares += float64(y * y)
			}
			out[0] = (sum + laplace(n, 1)) / 8
			out[1] = math.Sqrt(float64(squares/8) - float64(sum/8*sum/8))
		})
}

// rarelySwitching releases a private sum only in rounds in which the raw sum of squares has
// doubled. The rounds show the raw sums.
func rarelySwitching() audit.Mechanism {
	return fixture("releases at raw doublings", "rarely switching LinUCB over private sums", 1, math.Inf(1), 12, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			gram, last, sum := 0.1, 0.1, 0.0
			for t := range out {
				x := 0.1
				if t == 0 {
					x = float64(world)
				}
				if gram += float64(x * x); gram >= 2*last {
					last, sum = gram, laplace(n, 1)
				}
				out[t] = sum // what the policy has been told
			}
		})
}

// budgetsByEpoch releases the same cumulative sum in five epochs, at epsilon/1, epsilon/2, ...,
// epsilon/5, and counts each as a case of its own: a record would be in one of them.
func budgetsByEpoch() audit.Mechanism {
	const epochs = 5
	exact := 0.0
	for e := range epochs {
		exact += 1 / float64(e+1)
	}
	return fixture("cumulative sums counted as alternatives", "epochs that a record is in only one of, over sums that keep it", 1, exact, epochs, 40000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			for e := range out {
				out[e] = min(max(float64(world)+laplace(n, float64(e+1)), 0), 1)
			}
		})
}

// silentBlocks releases sums of five blocks under noise, but for empty blocks from the fourth on,
// which have nothing to hide.
func silentBlocks() audit.Mechanism {
	return fixture("empty blocks get no noise", "a shortcut for sums of 0, from the fourth block on", 1, math.Inf(1), 5, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			sum := 0.0
			for block := range out {
				raw := 0.0
				if block == 3 {
					raw = float64(world)
				}
				if block < 3 || raw != 0 {
					raw += laplace(n, 1)
				}
				sum += raw
				out[block] = sum
			}
		})
}

// rawSupport releases a private vector of sums, and 0 for those whose raw sum is small.
func rawSupport() audit.Mechanism {
	return fixture("small sums are screened on raw data", "sparsity imposed on a private vector by its raw values", 1, math.Inf(1), 4, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			raw := [4]float64{5.5, 0, 7, float64(world)}
			raw[0] += float64(world)
			for i, v := range raw {
				if v >= 6 {
					out[i] = v + laplace(n, 2)
				}
			}
		})
}

// fiveAsOne has noise for one record of a user, and claims to protect users of five.
func fiveAsOne() audit.Mechanism {
	return fixture("user level by name", "noise for one record, a claim for users of five", 1, 5, 5, 100000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			for i := range out {
				out[i] = min(max(float64(world)+laplace(n, 1), 0), 1)
			}
		})
}

// fedBeside stops at a meter's budget of two releases, and is fed another four beside the meter.
func fedBeside() audit.Mechanism {
	return fixture("records beside the meter", "a wrapped learner that its maker still holds", 1, 3, 6, 40000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			for i := range out { // at epsilon 1/2 each; the meter has seen two
				out[i] = min(max(float64(world)+laplace(n, 2), 0), 1)
			}
		})
}

// loadedTwice is a saved state that is loaded twice and fed different records under the same noise.
func loadedTwice() audit.Mechanism {
	return fixture("a state that is loaded twice", "noise that is part of a snapshot", 1, math.Inf(1), 2, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			z := laplace(n, 1)
			out[0], out[1] = z, z+float64(world)
		})
}

// readsClipCount is a policy that plays safe once a reward was clipped, which is no release.
func readsClipCount() audit.Mechanism {
	return fixture("a policy that reads the clip count", "a policy that holds its statistic", 1, math.Inf(1), 3, 2000,
		func(world int, n *privacy.Noise, rng *rand.Rand, out []float64) {
			clipped := false
			for t, y := range [3]float64{0.5, []float64{1, 7}[world], 0.5} {
				clipped = clipped || y > 1
				if out[t] = float64(rng.IntN(3)); clipped {
					out[t] = 0
				}
			}
			_ = n
		})
}

// lessForLarge divides the noise by 8 where the sum is large and, it is thought, hides a user
// anyway.
func lessForLarge() audit.Mechanism {
	return fixture("less noise for large sums", "a scale that depends on the sum", 1, math.Inf(1), 1, 5000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			sum := 3.0 + float64(world)
			scale := 1.0
			if sum > 3 {
				scale = 1.0 / 8
			}
			out[0] = sum + laplace(n, scale)
		})
}

// largestSoFar divides each reward by the largest one that any run has seen.
func largestSoFar() audit.Mechanism {
	return fixture("rewards scaled by the largest one", "a running maximum that normalises, without noise", 1, 3.2, 1, 10000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			largest := []float64{0.2, 1}[world]
			for _, y := range [5]float64{0.2, 0.2, 0.2, 0.2, largest} {
				out[0] += y / largest
			}
			out[0] += laplace(n, 1) // 5 or 1.8, where one record should move it by 1
		})
}

// sumAndSquare releases a sum and a sum of squares under one draw.
func sumAndSquare() audit.Mechanism {
	return fixture("a sum and its squares under one draw", "two fields of a release that share their noise", 1, math.Inf(1), 2, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			y := 0.5 + float64(float64(world)/2)
			z := laplace(n, 2)
			out[0], out[1] = y+z, float64(y*y)+z
		})
}

// countInTheOpen claims to hide whether a user took part, and releases the number of records.
func countInTheOpen() audit.Mechanism {
	return fixture("add or remove, with the count in the open", "a count that is public under replacement only", 1, math.Inf(1), 2, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			records := 10 + world
			out[0], out[1] = float64(records)+laplace(n, 1), float64(records)
		})
}

// alarmAtOnce ends a block early where an outlier comes in, so that it is heard of at once.
func alarmAtOnce() audit.Mechanism {
	return fixture("an outlier ends its block", "a release whose round depends on raw data", 1, math.Inf(1), 6, 2000,
		func(world int, n *privacy.Noise, _ *rand.Rand, out []float64) {
			sum := 0.0
			for t := range out {
				y := 0.0
				if t == 2 {
					y = float64(world)
				}
				if y == 1 || t == 5 {
					sum += laplace(n, 1)
				}
				out[t] = sum
			}
		})
}

// player is a learner made of two functions, of which each run gets new ones.
type player func() (act func(v *bandit.View) int, learn func(v *bandit.View, arm int, y float64))

func (p player) Open(bandit.Problem, int) (bandit.Calibrated, error) {
	return bandit.Starts(func(*rand.Rand, rand.Source) bandit.Run {
		act, learn := p()
		return &played{act, learn}
	}), nil
}

type played struct {
	act   func(v *bandit.View) int
	learn func(v *bandit.View, arm int, y float64)
}

func (p *played) Select(v *bandit.View, dst []int) ([]int, error) { return append(dst, p.act(v)), nil }

func (p *played) Update(v *bandit.View, arms []int, y []float64) error {
	p.learn(v, arms[0], y[0])
	return nil
}

// winStay plays its arm again after a large reward, which no noise hides.
func winStay() audit.Learner {
	var worlds [2]audit.Stream
	for w := range worlds {
		for t := range 15 {
			y := 0.5
			if t == 11 {
				y = float64(w)
			}
			worlds[w] = append(worlds[w], audit.Round{Rewards: []float64{y, y, y}})
		}
	}
	return audit.Learner{
		Name: "win-stay on a raw reward", Origin: "the last reward, kept beside private means",
		Claim: privacy.Budget{Epsilon: 1}, Exact: math.Inf(1), Runs: 2000, Worlds: worlds, OwnAction: true,
		Problem: bandit.Problem{Arms: 3, Slots: 1, RewardMax: 1},
		Of: player(func() (func(v *bandit.View) int, func(v *bandit.View, arm int, y float64)) {
			stay, won := 0, false
			return func(v *bandit.View) int {
					if won {
						return stay
					}
					return v.Round % 3
				}, func(_ *bandit.View, arm int, y float64) {
					stay, won = arm, y > 0.9
				}
		}),
	}
}

// lateMemory remembers contexts from round 65 on.
func lateMemory() audit.Learner {
	var worlds [2]audit.Stream
	for w := range worlds {
		for t := range 70 {
			x := 1.0
			if t == 66 && w == 1 {
				x = -1
			}
			worlds[w] = append(worlds[w], audit.Round{X: []float64{x, -x}, Rewards: []float64{0, 0}})
		}
	}
	return audit.Learner{
		Name: "a memory from round 65 on", Origin: "a leak that begins after any short test",
		Claim: privacy.Budget{Epsilon: 1}, Exact: math.Inf(1), Runs: 2000, Worlds: worlds,
		Problem: bandit.Problem{Arms: 2, Dim: 1, Slots: 1, ContextNorm: 1, RewardMax: 1},
		Of: player(func() (func(v *bandit.View) int, func(v *bandit.View, arm int, y float64)) {
			last := 0.0
			return func(v *bandit.View) int {
				arm := 0
				if v.Round > 64 && v.X[1]*last > v.X[0]*last {
					arm = 1
				}
				last = v.X[0]
				return arm
			}, func(*bandit.View, int, float64) {}
		}),
	}
}
