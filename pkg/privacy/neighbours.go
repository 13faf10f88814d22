package privacy

import "fmt"

// Relation is the difference in one record between two neighbouring data sets.
type Relation int

const (
	Replace   Relation = iota // one record has another value; the number of records is public
	AddRemove                 // one record is present or absent
)

func (r Relation) String() string {
	switch r {
	case Replace:
		return "replace"
	case AddRemove:
		return "add or remove"
	}
	return fmt.Sprintf("Relation(%d)", int(r))
}

// Neighbours is the neighbouring relation that a claim protects.
type Neighbours struct {
	Relation Relation
	Record   string // what a record is, such as "round's (context, reward)"
	// Contributions is the largest number of records of one user that may differ at once. 1 protects
	// an event, k > 1 a user who contributes to k rounds.
	Contributions int
}

// ReplaceRound is the relation that replaces one round's context and reward: event-level privacy.
var ReplaceRound = Neighbours{Replace, "round's (context, reward)", 1}

// ReplaceWeights is the relation that replaces the weights, or rewards, of one round, also those of
// arms that the round does not show. Contexts, if there are any, are public: neighbouring data have
// the same.
var ReplaceWeights = Neighbours{Replace, "round's weights", 1}

// PublicContexts reports whether neighbouring data have the same contexts, as those of
// [ReplaceWeights] have. Of a relation in any other words it says no.
func (n Neighbours) PublicContexts() bool { return n.Record == ReplaceWeights.Record }

func (n Neighbours) String() string {
	if n.Contributions == 1 {
		return fmt.Sprintf("%v one %s", n.Relation, n.Record)
	}
	return fmt.Sprintf("%v the %s of one user, in up to %d records", n.Relation, n.Record, n.Contributions)
}

// Validate returns an error if a field is out of its range.
func (n Neighbours) Validate() error {
	switch {
	case n.Relation != Replace && n.Relation != AddRemove:
		return fmt.Errorf("privacy: %v, want Replace or AddRemove", n.Relation)
	case n.Record == "":
		return fmt.Errorf("privacy: Neighbours.Record is empty, want what a record is")
	case n.Contributions < 1:
		return fmt.Errorf("privacy: Neighbours.Contributions = %d, want >= 1", n.Contributions)
	}
	return nil
}

// Model is the trust model: it says who may see raw data.
type Model int

// The trust models of the toolkit.
const (
	Central  Model = iota // users trust a curator; all that the curator outputs is private
	Joint                 // as Central, but user t's own action may depend on her own data
	Shuffled              // users randomise, and a trusted shuffler hides who sent what
	Local                 // each user randomises on her own device and trusts nobody
)

func (m Model) String() string {
	switch m {
	case Central:
		return "central"
	case Joint:
		return "joint"
	case Shuffled:
		return "shuffle"
	case Local:
		return "local"
	}
	return fmt.Sprintf("Model(%d)", int(m))
}
