package learner

import (
	"fmt"
	"slices"

	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// replaceUser is the neighbouring relation of a message in the local model.
var replaceUser = privacy.Neighbours{Relation: privacy.Replace, Record: "user's (context, reward)", Contributions: 1}

// MessagePlan returns the plan of a device's message, which holds one user's context and reward.
//
// The release r says what the message shows of them, asked is the budget that its noise was
// calibrated to, and constant is the public last coordinate of every context; 0 means that there is
// none. The plan lists a draw of each law that has a scale.
func MessagePlan(asked privacy.Budget, c privacy.Calibration, constant float64, source string, r privacy.Release) privacy.Plan {
	p := privacy.Plan{Model: privacy.Local, Scope: privacy.OneMessage, Neighbours: replaceUser, Calibration: c, Asked: asked, Source: source,
		Conditions: []string{"contexts and rewards clipped to their bounds on the device"}}.With(r)
	p.Draws = slices.DeleteFunc(p.Draws, func(d privacy.Draws) bool { return d.Scale == 0 })
	if constant != 0 {
		p.Conditions = append(p.Conditions, fmt.Sprintf("the last coordinate of every context is publicly %.6g, and set to it on the device", constant))
	}
	return p
}
