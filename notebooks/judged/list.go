package judged

import "github.com/dpbandits/dpbandits/pkg/privacy"

// The trust models and neighbours.
const (
	central   = "central; one reward is replaced"
	joint     = "joint; one round's contexts and reward are replaced"
	local     = "local; a user's context and reward are replaced"
	localBit  = "local; a user's reward is replaced"
	shuffled  = "shuffle; a user's context and reward are replaced"
	aggregate = "secure aggregation; one reward is replaced"
)

// Repositories with several programs.
const (
	shuffle = "https://github.com/sayakrc/Differentially-Private-Bandits"
	glb     = "https://github.com/liangzp/LDP-Bandit"
	ncb     = "https://github.com/NP-Hardest/DP-NCB"

	shuffleAt = "ea7503bcaddd7491a187252d5bbd6608414cb96f"
	glbAt     = "62d909365bd0694dec66579d7035bcb3888d46df"
	ncbAt     = "48397512ffb0c93137f73a6607f6004a508b1e0c"
)

func pure(epsilon float64) privacy.Budget { return privacy.Budget{Epsilon: epsilon} }

func approximate(epsilon, delta float64) privacy.Budget {
	return privacy.Budget{Epsilon: epsilon, Delta: delta}
}

// formulas sets what the toolkit draws instead of the program.
func (p Program) formulas(means [2][]float64, sd []float64) Program {
	p.Outputs, p.Density, p.Release = len(sd), density(means, sd), gaussians(means, sd)
	return p
}

// Programs are all that were judged, by trust model.
var Programs = []Program{
	{
		Name: "mab-dpse", What: "DP-SE (Sajed, Sheffet 2019), as a baseline of distributed private bandits",
		Repository: shuffle, Commit: shuffleAt, Lines: []string{"MABPrivate.py:211-213", "MABPrivate.py:225-229"},
		Model: central, Says: "epsilon of the environment, lines 359-368: 0.1, 0.5 and 1", Claim: pure(1),
		Released: "how many of two arms are left after the first epoch", Outputs: 1, Runs: 400,
		Proves: "no epsilon: one Laplace draw is added to the sums of all arms, and an elimination compares two sums, from which it cancels",
		Finding: "What this baseline plays is a function of the rewards without any noise. Each arm needs a draw of its own, as the paper of DP-SE has it. " +
			"A curve drawn with it is that of a learner which pays for privacy with wider intervals alone",
	},
	{
		Name: "mab-dist", What: "Dist-DP-SE: secure aggregation and discrete Laplace noise in shares (Chowdhury, Zhou 2023)",
		Repository: shuffle, Commit: shuffleAt, Lines: []string{"MABPrivate.py:13-15", "MABPrivate.py:278-281"},
		Model: aggregate, Says: "epsilon of the environment, lines 359-368: 0.1, 0.5 and 1", Claim: pure(1),
		Released: "the sum that the analyser sees of the third epoch's batch of 64", Outputs: 1, Runs: 2000,
		Proves: "g ln(1/(1 - e^(-epsilon/g))), g = ⌈epsilon sqrt(B)⌉, in a batch of B: 1.9 instead of 1 for B = 4, 17 for B = 64, 111 for B = 1,024. " +
			"The sampler's p is the chance to stop, and it is given e^(-epsilon/g), the chance to go on",
		Finding: "With 1 - e^(-epsilon/g) in the two calls of gen_rand the shares add up to discrete Laplace noise of scale g/epsilon, as in the paper. As it is, " +
			"noise becomes smaller with larger batches, where it should become larger. We took this line for right when we read it, until the audit excluded its claim. The Skellam variant (lines 321-323) has the variance that it should",
	},
	{
		Name: "best-arm", What: "AdaP-TT (Azize and others 2023), best-arm identification",
		Repository: "https://github.com/achraf-azize/DP-BAI", Commit: "c8d8be282e19e4d74dc9c5f670c68ec3ae7e4f97",
		Lines: []string{"algorithms/adapTT.py:167-181"},
		Model: central, Says: "eps of the constructor", Claim: pure(1),
		Released: "the first private means of two arms", Outputs: 2, Runs: 20000,
		Proves: "epsilon: a mean is of one phase of one arm and has Laplace noise of scale 1/(epsilon n), so that a reward is used once",
		Finding: "As it claims. DP-SE beside it does, too, in what it returns; in algorithms/dp_se.py its log (line 121) has the arm with the largest mean without noise, " +
			"and line 100 divides an epoch's sum by the pulls of all epochs, which makes later means too small, and more private than claimed",
	},
	{
		Name: "ucb-hybrid", What: "DP-UCB (Tossou, Dimitrakakis 2016), of a collection of private bandits",
		Repository: "https://github.com/keirp/private-bandits", Commit: "e6662803fd99da40505fd255b89e311fb2a08b1f",
		Lines: []string{"private_bandits/privacy/mechanisms/hybrid.py:13-22", "private_bandits/privacy/mechanisms/binary.py:13-24", "private_bandits/solvers/counting.py:44-52"},
		Model: central, Says: "epsilon of the constructor", Claim: pure(1),
		Released: "how far the noisy sum of an arm is after 5, 6 and 8 rewards from that after 4", Outputs: 3, Runs: 20000,
		Proves: "epsilon: a reward is in at most log2 T nodes of its block's tree, of half of epsilon, and in one logarithmic sum, of the other half",
		Finding: "As it claims; so are, by reading, its DP-SE and its softmax. A tree of a horizon that is a power of two has no node for its last round and fails there " +
			"(binary.py:18), which the hybrid never reaches",
	},
	{
		Name: "ncb-adap", What: "AdaP-UCB (Azize, Basu 2022), as a baseline of fair private bandits",
		Repository: ncb, Commit: ncbAt, Lines: []string{"algorithms/AdaPUCB.py:70-78", "algorithms/AdaPUCB.py:85-97"},
		Model: central, Says: "epsilon of main.py, line 35", Claim: pure(2),
		Released: "the first arm after each arm was played once", Outputs: 1, Runs: 2000,
		Proves: "no epsilon: the first reward of each arm is its index without noise until its first episode ends; from then on epsilon",
		Finding: "The next arm tells which of two first rewards was larger. Noise on the first pulls, as in the paper's algorithm, would mend it. " +
			"GDP-NCB beside it (GDPNCB.py:117-137) has a reward of its first phase in each episode's mean of its arm, with epsilon/ln T a time and up to log2 T times: 1.44 epsilon by addition",
	},
	{
		Name: "stream", What: "private Frank-Wolfe for bandits (Han and others 2022), p = 1",
		Repository: "https://github.com/liangzp/DP-Streaming-SCO", Commit: "615a971bbb101647852917a94d246e8a4d52c1ed",
		Lines: []string{"bandit_algo.py:95-99"},
		Model: joint, Says: "eps and delta of main.py; delta is 1/T", Claim: approximate(1, 0.01),
		Released: "the estimate of an arm after one reward", Outputs: 5, Runs: 2000,
		Proves:  "no epsilon: noise chooses a coordinate, and the exact sign of the gradient there is used",
		Finding: "The sign of a coordinate shows the sign of a residual. A choice among all 2d vertices, each with a draw of its own, would mend it",
	},
	Program{
		Name: "jdp-trees", What: "the JDP authors' LinUCB over a tree with Gaussian noise (Shariff, Sheffet 2018), in Julia",
		Repository: "https://github.com/roshanshariff/PrivateBandits.jl", Commit: "49417f119e0fd88ad4cb5fd514614cef7ecd6e81",
		Lines: []string{"src/DifferentialPrivacy.jl:170-187", "src/DifferentialPrivacy.jl:121-149"},
		Model: joint, Says: "ε and δ of DiffPrivParams", Claim: approximate(1, 0.1),
		Released: "where a tree of n = 5e7 differs, all nodes together", Runs: 20000,
		Proves: "much less than epsilon: mu = sqrt(m) L̃²/σ = 0.0678 of Gaussian privacy, which is (0, 0.028); " +
			"nothing clips a row, so that a bound of the environment has to hold",
		Finding: "As it claims, with some thirteen times the noise that exact accounting asks for. Not run: there is no Julia here",
	}.formulas(shariff(approximate(1, 0.1))),
	{
		Name: "lin-jdp", What: "JDP-LinUCB (Shariff, Sheffet 2018), as a baseline of shuffle private linear bandits",
		Repository: shuffle, Commit: shuffleAt, Lines: []string{"LinBanditPrivate.py:189-196", "LinBanditPrivate.py:212-220"},
		Model: joint, Says: "epsilon and delta of the environment, lines 402-404, and 1 and 10 by the comment of line 272", Claim: approximate(1, 0.1),
		Released: "by how much the noisy vector that indices are computed from moves in one round", Outputs: 2, Runs: 2000,
		Proves: "no epsilon: all noise is drawn before the first round, and round t uses the first ⌊ln(1+t)⌋+1 draws, so that rounds with the same number share all of it",
		Finding: "The line says that it simulates the total noise of a tree, and for the regret of one round it does. As a release over rounds it hides nothing: " +
			"from one round to the next the sums move by exactly the record",
	},
	{
		Name: "federated", What: "FedUCB, an agent's side (Dubey, Pentland 2020)",
		Repository: "https://github.com/abhimanyudubey/private_federated_linear_bandits", Commit: "d94053e0ff02237cef8e6d2bccb0c2f1f5553620",
		Lines: []string{"feducb/agents.py:171-181", "feducb/agents.py:206-213"},
		Model: joint, Says: "epsilon and beta (the delta) of FedUCB's constructor", Claim: approximate(0.01, 0.01),
		Released: "by how much what an agent sends moves between its third and fourth package", Outputs: 2, Runs: 2000,
		Proves: "no epsilon: a new draw is added to the noise when the number of packages passes a power of two, none is ever removed, and packages between have the same noise",
		Finding: "Two packages with the same noise differ by exactly what the agent learned between them. A tree draws for each node. " +
			"At this commit the package does not import (feducb/__init__.py:1), and agents.py:49 adds one number to all of a Gram matrix",
	},
	{
		Name: "fliphat", What: "FLIPHAT, sparse linear bandits (Chakraborty, Roy, Basu 2024)",
		Repository: "https://github.com/sunritc/FLIPHAT", Commit: "4b696b7d61ac4cf1e1f4b9014e45e90de16c348b",
		Lines: []string{"SparseBandit/utils.py:89-98", "SparseBandit/utils.py:28-29", "SparseBandit/fliphat_simulation_utils.py:147-151"},
		Model: joint, Says: "epsilon and delta of the constructor; 0.5 to 10 in simulation.py", Claim: approximate(1, 0.01),
		Released: "which coordinates an episode keeps, and how far they moved", Outputs: 2, Runs: 8000, Packages: []string{"jax", "scikit-learn"},
		Proves: "no epsilon: contexts are never clipped, and normal ones have no bound; with contexts in x_max the noise lacks a factor of 4 x_max; episodes share noise",
		Finding: "Excluded within the bounds, too: here all contexts are within x_max, rewards are clipped as the program does, and one row's reward turns from R to -R. " +
			"The notebook evidence/04-fliphat shows the three gaps and what closing them costs",
	},
	{
		Name: "glm-joint", What: "Private-GLM, generalised linear bandits (Sarmasarkar 2026)",
		Repository: "https://github.com/Sahasrajit123/Shuffle_joint_dp_generalized_linear_contextual_bandits", Commit: "d9c93e118cfd9e60f9f3c09285eb99b3ae29dde3",
		Lines: []string{"glmbanditexp/algorithms/private_rs_glinucb.py:359-409", "glmbanditexp/algorithms/private_rs_glinucb.py:112-113", "glmbanditexp/algorithms/private_rs_glinucb.py:291", "glmbanditexp/algorithms/private_rs_glinucb.py:372", "glmbanditexp/utils/utils.py:1105"},
		Model: joint, Says: "epsilon and delta of the constructor", Claim: approximate(2, 0.02),
		Released: "by how much the warm-up estimate, which all later choices use, moves in the first round", Outputs: 1, Runs: 200,
		Packages: []string{"scipy", "dp-accounting"},
		Proves: "no epsilon for one who sees the estimates: a round is of the warm-up or not by its own contexts, and the estimate is fitted anew in rounds of the warm-up only, so that its moving shows which. " +
			"Without that: the trees V and H, the fits of the warm-up and the later fits have epsilon/3 each. A user is in three of the four, and one who is replaced by one of the other class moves all four: " +
			"4/3 of epsilon, by addition. And replacing a row moves a tree's node by up to sqrt(2) times the norm, and a sum of clipped gradients by twice the norm, that their noise is made for",
		Finding: "The times of the fits are data. Fits at fixed rounds would mend it, and parts of epsilon/4 with the sensitivities of replacement the rest. " +
			"What is excluded here is the class of one round, seen in the estimate. That this user moves all four parts was seen in a run; 4/3 is their sum. The parameters are those of the simulations with S = 5, but for a horizon of 64",
	},
	{
		Name: "fair-greedy", What: "Private-Fair-Greedy's regression tree (DP-GMFBandits, 2025)",
		Repository: "https://github.com/andrewp2303/DP-GMFBandits", Commit: "73ab664555f70b4b63e46ec7d9c1c1d2fdf497b5",
		Lines: []string{"policies.py:254-271", "policies.py:380-381", "policies.py:416-418"},
		Model: joint, Says: "epsilon and delta of adult.py, line 269", Claim: approximate(15, 0.1),
		Released: "the nodes that the first record is in, of a tree of four", Outputs: 3, Runs: 10000, Packages: []string{"pandas", "scipy"},
		Proves: "less than epsilon: the tree is mu = epsilon/(4 ln(4/delta)) = 1.02 for all its nodes, which is (1.19, 0.1) instead of (15, 0.1); " +
			"it is given all of epsilon, and not the part that line 380 computes for it, so that both parts together are (2 - alpha) epsilon by their own accounts, which the tree's slack covers",
		Finding: "The claim holds, for another reason than the code gives. A row is not clipped to L̃, and rewards have normal noise: a bound has to hold",
	},
	Program{
		Name: "sufficient", What: "batched bandits with regression oracles: sufficient statistics (private-contextual-bandits, 2026)",
		Repository: "https://github.com/alex-rbch/private-contextual-bandits", Commit: "2ccf5ba6f0fdc403efb16cfdd06a9748023f809b",
		Lines: []string{"src/privacy/sufficient_statistics.py", "src/privacy/accounting.py", "src/privacy/noise.py"},
		Model: joint, Says: "epsilon and delta of configs/paper_grid.json: 1 to 8 and 1e-5", Claim: approximate(1, 1e-5),
		Released: "where a batch's statistics differ", Runs: 20000,
		Proves: "epsilon, with slack: two Gaussian releases of rho/2 each, of the sensitivities of replacement for features that do not point away from each other, rows normalised, batches disjoint; " +
			"mu = sqrt(2 rho) = 0.204, which is (0.741, 1e-5)",
		Finding: "As it claims: the most careful of all that we read, with its bounds checked in code. Not run: its text could be read here, but not cloned",
	}.formulas(sufficient(approximate(1, 1e-5))),
	{
		Name: "lin-ldp", What: "LDP-LinUCB (Zheng and others 2020), as a baseline of shuffle private linear bandits",
		Repository: shuffle, Commit: shuffleAt, Lines: []string{"LinBanditPrivate.py:155", "LinBanditPrivate.py:166-172"},
		Model: local, Says: "epsilon and delta of the environment, lines 402-404, and 1 and 10 by the comment of line 272", Claim: approximate(1, 0.1),
		Released: "where two users' messages differ most", Outputs: 2, Runs: 10000,
		Proves: "mu = sqrt(12)/sigma, sigma = sqrt(ln(2.5/delta))/epsilon, for two arms of the script's own set, opposite on the sphere and with the bias: " +
			"(3.58, 0.1) instead of (1, 0.1); at the committed 0.2 only (0.14, 0.1), as a delta of 0.1 forgives much",
		Finding: "The noise is that of a sensitivity of 1 for the matrix and for the vector, each alone; here the norms of contexts are sqrt(2), and both are sent. " +
			"A curve drawn at 1 or 10 has less noise than the claim needs",
	},
	{
		Name: "lin-pamp", What: "SDP-LinUCB with amplification (Chowdhury, Zhou 2022)",
		Repository: shuffle, Commit: shuffleAt, Lines: []string{"LinBanditPrivate.py:234", "LinBanditPrivate.py:245-251"},
		Model: shuffled, Says: "epsilon and delta of the environment, lines 402-404, and 1 and 10 by the comment of line 272", Claim: approximate(1, 0.1),
		Released: "where the sums of a batch of 20 differ most", Outputs: 2, Runs: 10000,
		Proves:  "not more than the sums of a batch show: mu = sqrt(12)/sqrt(ln(2.5 B/delta)) epsilon = 1.39 epsilon, for the two arms of lin-ldp: at least (2.05, 0.1) instead of (1, 0.1), and the sums only (0.03, 0.1) at the committed 0.2",
		Finding: "The same factor is missing as in lin-ldp. What shuffled messages show beyond their sums was not looked at",
	},
	{
		Name: "lin-sdp", What: "SDP-LinUCB with vector sums (Chowdhury, Zhou 2022)",
		Repository: shuffle, Commit: shuffleAt, Lines: []string{"LinBanditPrivate.py:266-291", "LinBanditPrivate.py:318-332"},
		Model: shuffled, Says: "epsilon and delta of the environment, lines 402-404", Claim: approximate(0.2, 0.1),
		Released: "where the sums of a batch of 20 differ most", Outputs: 2, Runs: 1000,
		Proves: "about mu = 1.2 epsilon of Gaussian privacy for a whole message, by a normal approximation of its binomial noise: less than (0.2, 0.1) at 0.2; at 1 with scale = 1 it would be about (1.55, 0.1), " +
			"and the comment of line 272 says that scale was 10 there",
		Finding: "As it claims at the committed parameters",
	},
	{
		Name: "ldp-2020", What: "LDP-LinUCB on MovieLens (Zheng and others 2020), by its authors",
		Repository: "https://github.com/huang-research-group/LDPbandit2020", Commit: "54f0c05441fdcff819176cc393a9bc99aca52b66",
		Lines: []string{"src/linucb.py:41-43", "train_eval.py:26"},
		Model: local, Says: "epsilon and delta of train_eval.py and README.md, by default 8e5 and 0.1; here epsilon is 20", Claim: approximate(20, 0.1),
		Released: "a user's message", Outputs: 5, Runs: 1000,
		Density: density(ldp2020(approximate(20, 0.1))),
		Proves: "mu = 0.334 epsilon: below epsilon = 11 the claim holds, with much slack at 1; above, Gaussian noise of a scale that falls as 1/epsilon has an epsilon that grows as its square: 29.9 instead of 20, and 3.6e10 instead of 8e5. " +
			"A factor sqrt(2) of the comment and of README.md is missing in the code",
		Finding: "The usual formula of Gaussian noise is for epsilon below 1. At the default nothing is claimed that anybody would call private, so that nothing is lost there; " +
			"at 1 the claim holds. The audit counts with the density of the noise as it was read, which the samples would contradict if it were too narrow",
	},
	{
		Name: "ldp-glm", What: "LDP-SGD for generalised linear bandits (Han and others 2021), variant with a bounded gradient",
		Repository: glb, Commit: glbAt, Lines: []string{"Scheme2/mechanisms/RLDP.py:59", "Scheme2/mechanisms/RLDP.py:93", "Scheme1/mechanisms/RLDP.py:59"},
		Model: localBit, Says: "epsilon and delta of the mechanism; --eps 1 in README.md", Claim: pure(1),
		Released: "the package of a user", Outputs: 3, Runs: 2000,
		Proves: "epsilon for the gradient in it; none for the package, which has the exact residual beside it, for a plot of the estimation error",
		Finding: "The field f_diff is read by the profiler alone, and the server's estimate does not use it. It has to be left out of what is sent: " +
			"with the server's parameter, which is public, it is the reward",
	},
	{
		Name: "ldp-ols", What: "LDP-OLS for generalised linear bandits (Han and others 2021)",
		Repository: glb, Commit: glbAt, Lines: []string{"Scheme2/mechanisms/LDP.py:19-42"},
		Model: local, Says: "epsilon and delta of the mechanism; --eps 1 in README.md, delta 0.1", Claim: approximate(1, 0.1),
		Released: "the package of a user", Outputs: 5, Runs: 10000,
		Proves: "mu = 2.12/sigma = 0.14 for contexts in the unit ball and rewards in [-1, 1]: 2.8 times the noise that its sensitivity wants, before the slack of the formula",
		Finding: "As it claims. Neither contexts nor rewards are clipped: a bound has to hold. LDPCovariateMechanism in the same file (lines 124-141) sends noise alone, " +
			"without the record, and the chosen arm as it is",
	},
	{
		Name: "ldp-arms", What: "LDP-UCB-B, randomised response (Ren and others 2020)",
		Repository: "https://github.com/WenboRen/Multi-armed-Bandits-with-Local-Differential-Privacy", Commit: "5b4dd4b0d0748410dd0d8c1457f6ce884a0b8611",
		Lines: []string{"DPclass.py:66-87"},
		Model: localBit, Says: "epsilon of the constructor", Claim: pure(1),
		Released: "the bit that a user sends", Outputs: 1, Runs: 20000,
		Proves:  "epsilon, exactly; so does LDP-UCB-L (lines 90-117), and both with normal rewards, which a sigmoid brings into [0, 1]",
		Finding: "As it claims",
	},
	{
		Name: "ncb-ldp", What: "LDP-NCB, fair private bandits (Sarkar and others 2025)",
		Repository: ncb, Commit: ncbAt, Lines: []string{"algorithms/LDPNCB.py:91-93", "algorithms/LDPNCB.py:119-120"},
		Model: localBit, Says: "epsilon of main.py, line 58", Claim: pure(0.2),
		Released: "the noisy reward of a user in the first phase", Outputs: 1, Runs: 20000,
		Proves: "1 in the first phase, whatever epsilon is, and epsilon in the second: NumPy's laplace takes the location first, so that line 92 adds noise of scale 1 around 1/epsilon",
		Finding: "A slip of one argument: with scale= in front of it, as in line 120, the first phase is epsilon, too. At epsilon = 1 it would not be seen; " +
			"the shift of 1/epsilon moves what the first phase estimates",
	},
	{
		Name: "library-diffprivlib", What: "diffprivlib's Laplace mechanism behind a UCB of ours",
		Repository: "https://pypi.org/project/diffprivlib", Commit: "0.6.6", Lines: []string{"diffprivlib/mechanisms/laplace.py"},
		Model: central, Says: "epsilon and sensitivity of the mechanism", Claim: pure(1),
		Released: "the first noisy mean and the first seven arms", Outputs: 8, Runs: 2000, Packages: []string{"diffprivlib"},
		Proves:  "epsilon for each mean, and a reward is in one of them; the sum of four products that it draws noise by is made against attacks on the low bits of its numbers",
		Finding: "As it claims. With scikit-learn 1.5 and newer the package's models do not import, which the driver leaves out",
	},
	{
		Name: "library-opendp", What: "OpenDP's Laplace measurement behind a UCB of ours",
		Repository: "https://pypi.org/project/opendp", Commit: "0.16.0", Lines: []string{"opendp.measurements.make_laplace"},
		Model: central, Says: "the measurement's own map, of the scale", Claim: pure(1),
		Released: "the first noisy mean and the first seven arms", Outputs: 8, Runs: 2000, Packages: []string{"opendp"},
		Proves:  "epsilon for each mean, by its map, and a reward is in one of them; numbers are rounded to a grid before exact discrete noise is added",
		Finding: "As it claims. It has no seed, so that a re-run is never the same run",
	},
}
