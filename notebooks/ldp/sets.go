package ldp

import (
	"fmt"
	"math"

	"github.com/dpbandits/dpbandits/notebooks/cell"
	"github.com/dpbandits/dpbandits/notebooks/lab"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/online"
)

// Confidence sets from predictions.

// outside returns by how many widths theta* is away from the centre of a server's set: more than 1
// outside of it. The broadcast holds the centre (2 numbers), V^-1 (3) and the width.
func outside(s *learner.OnlineServer) float64 {
	b := s.Broadcast()
	x, y := lossTheta[0]-b[0], lossTheta[1]-b[1]
	det := b[2]*b[4] - b[3]*b[3]
	return math.Sqrt((b[4]*x*x-2*b[3]*x*y+b[2]*y*y)/det) / b[5]
}

// claimSets: theta* is on the edge of the oracle's set in every round, by the identity that Lemma
// 3.3 rests on; inside the set of width × 4 for the rounds played, and outside that of × 0.2 in
// some.
func claimSets(s lab.Scale) (string, error) {
	rounds := cell.Pick(s, 3_000, 10_000, 10_000)
	var servers []*learner.OnlineServer
	for i, width := range []float64{1, 4, 0.2} {
		server := &learner.OnlineServer{
			Noise: learner.OnlineNoise{Budget: lossBudget}, Width: width, Truth: func() []float64 { return lossTheta },
			Online: func(radius, gradient float64) online.Learner {
				return &online.OGD{Radius: radius, Gradient: gradient, Step: online.CurvedStep(0.15)}
			},
		}
		if i == 0 {
			server.Rule = learner.OracleWidth
		}
		if err := server.Init(lossProblem, rounds); err != nil {
			return "", err
		}
		server.Reset(nil)
		servers = append(servers, server)
	}
	var out [3]int
	least, most := math.Inf(1), [3]float64{}
	err := lossMessages(rounds, func(m learner.Message) error {
		for i, server := range servers {
			if err := server.Receive(m); err != nil {
				return err
			}
			d := outside(server)
			if most[i] = max(most[i], d); d > 1+1e-6 {
				out[i]++
			}
			if i == 0 {
				least = min(least, d)
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if math.Abs(least-1) > 1e-6 || math.Abs(most[0]-1) > 1e-6 {
		return "", fmt.Errorf("θ* is from %.7f to %.7f widths from the centre of the oracle's set, want 1 always", least, most[0])
	}
	if out[1] > 0 || out[2] == 0 {
		return "", fmt.Errorf("θ* is outside the set of width × 4 in %d rounds and of × 0.2 in %d, want none and some", out[1], out[2])
	}
	return fmt.Sprintf("%s rounds: θ* at %.6f to %.6f widths from the oracle's centre, at most at %.2f of width × 4; outside the set of × 0.2 in %s", cell.Thousands(rounds), least, most[0], most[1], cell.Thousands(out[2])), nil
}
