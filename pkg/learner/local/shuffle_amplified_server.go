package local

import (
	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/learner"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// AmplifiedServer is the server's half of shuffle LinUCB by amplification: LDPServer with
// AmplifiedNoise, which receives messages a batch at a time.
type AmplifiedServer struct {
	Noise  AmplifiedNoise               // the devices'
	Policy learner.Policy[privacy.Sums] // learns from the sums; nil means LinUCB{}
	Ridge  float64                      // > 0; 0 means 1
}

var _ learner.Server = AmplifiedServer{}

// Open validates, and opens the LDPServer.
func (a AmplifiedServer) Open(p bandit.Problem, horizon int) (learner.CalibratedServer, error) {
	noise, err := a.Noise.local()
	if err != nil {
		return nil, err
	}
	return LDPServer{Noise: noise, Policy: a.Policy, Ridge: a.Ridge}.Open(p, horizon)
}
