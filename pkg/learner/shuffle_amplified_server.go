package learner

import "github.com/dpbandits/dpbandits/pkg/bandit"

// AmplifiedServer is the server's half of shuffle LinUCB by amplification: LDPServer with
// AmplifiedNoise, which receives messages a batch at a time. Set Noise; in LDPServer set only the
// tuning.
type AmplifiedServer struct {
	Noise AmplifiedNoise // the devices'

	LDPServer
}

var _ Server = (*AmplifiedServer)(nil)

// Init validates and allocates.
func (a *AmplifiedServer) Init(p bandit.Problem, horizon int) (err error) {
	if a.LDPServer.Noise, err = a.Noise.local(); err != nil {
		return err
	}
	return a.LDPServer.Init(p, horizon)
}
