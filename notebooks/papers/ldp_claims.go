package papers

// The claims of notebook 01. Each is checked by running it, or against a committed table and by a shorter run.
var ldpClaims = []Claim{
	{"messages", "a message of OnlineUCB is the row's four private coordinates and the reward, without bias, under Gaussian noise of σ = √3/μ", claimWire},
	{"published noise", "the printed σ of OnlineUCB does not buy its ε from 1 on at δ = 10⁻⁵, nor in Figure 1 (c); the claim is exact for the farthest rows", claimBuys},
	{"loss", "the squared loss of messages is least at (G + σ²I)⁻¹Gθ*, the corrected loss at θ*", claimLoss},
	{"online learners", "Maler is within ten times the best of learners that are told more, on convex, strongly convex and exp-concave losses, and never near the worst", claimStreams},
	{"prediction sets", "θ* is on the edge of the oracle's set in every round, inside that of width × 4 and outside that of width × 0.2", claimSets},
	{"eigenvalues", "the least eigenvalue across experiments says nothing about a run: there it vanishes for few fixed arms, and not for as many fresh ones", claimEigen},
}
