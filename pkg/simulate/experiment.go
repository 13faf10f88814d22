package simulate

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dpbandits/dpbandits/pkg/bandit"
)

// Policy is a learner under a name.
type Policy struct {
	Name    string // unique in the experiment; part of the names of the learner's streams
	Learner bandit.Learner
}

// Experiment compares policies on one environment.
type Experiment struct {
	Name string
	// Environment is opened once, before the first trial, and all trials are started in its world.
	Environment bandit.Environment
	Policies    []Policy

	Horizon int    // rounds that the learners are calibrated for (Learner.Open), >= 1
	Rounds  int    // rounds of each trial, in [1, Horizon]; 0 means Horizon
	Trials  int    // independent repetitions, >= 1; trial i depends on Seed and i only
	Seed    uint64 // of all streams of all trials
	// FastForward jumps over rounds whose arms a learner knows beforehand, as it does in a batch. The
	// sum of their rewards is drawn at once. The regret has the law that it has round by round, and
	// other numbers; a warning says so. The environment must be a bandit.Summable. A learner that is
	// no bandit.Committed plays round by round.
	FastForward bool
	// Grid lists the rounds that a curve keeps, increasing, in [1, Rounds]. The last round is added.
	// nil means 100 evenly spaced rounds and 60 that are evenly spaced in their logarithm.
	Grid []int

	// Pairs lists policies a, b whose trial-by-trial difference of regret, a minus b, goes into the
	// result's table; see Result.Paired.
	Pairs [][2]string

	// Fingerprint names what else determines the results. Trials with another Fingerprint are refused,
	// and so are those whose environment or learners differ in any field, exported or not, or whose
	// code was built from anything else.
	//
	// The comparison cannot see what a closure computes with, nor the global and environment variables
	// that a type of the program's own reads. So Checkpoint, Records and Cache want a Fingerprint
	// that stands for these, such as "version 2, gap 0.1", if an experiment has closures, types of its
	// own, or a learner in another program that states no version.
	Fingerprint string
	// Checkpoint is the path of the file that keeps finished trials; empty means none. If the file
	// exists, its trials are restored and not run again.
	Checkpoint string
	// Records is the directory of a Store, which keeps finished trials for several processes at once;
	// empty means none. An experiment has one of Checkpoint, Records and Cache.
	Records string
	// Cache is a directory that keeps the trials of many experiments, by all that they depend on, so
	// that a cell of a notebook that is run again with the same parameters has its results at once.
	// Empty means none. Trials are kept policy by policy: if one policy is changed or added, it alone
	// is played. Where a Fingerprint is wanted and missing, the trials of the policies that want it are
	// played and not kept: the Progress and a warning of each of them say why.
	//
	// A program that pkg/cmd/stamp has linked, as a cell of a notebook is, shares trials with all that
	// differ from it in their main packages only, whose types a Fingerprint stands for. Any other
	// program finds its own trials, until it is built from something else.
	Cache string

	Workers  int      // trials that run at the same time, >= 0; 0 means runtime.GOMAXPROCS(0)
	Progress Progress // nil means DefaultProgress
}

// rounds returns the number of rounds of a trial.
func (e *Experiment) rounds() int {
	if e.Rounds == 0 {
		return e.Horizon
	}
	return e.Rounds
}

// checkName accepts names that can be written on a line of text and read back.
func checkName(s string) error {
	switch {
	case s == "":
		return errors.New("want a name that is not empty")
	case !utf8.ValidString(s):
		return errors.New("want valid UTF-8")
	case strings.TrimSpace(s) != s:
		return errors.New("want no space at either end")
	case strings.ContainsFunc(s, unicode.IsControl):
		return errors.New("want no control characters")
	}
	return nil
}
