package learner

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"github.com/dpbandits/dpbandits/pkg/bandit"
	"github.com/dpbandits/dpbandits/pkg/privacy"
)

// checkPolicy refuses a policy from which raw data or noise can be reached: through a pointer to
// what takes in records, rewards or messages, to what has a plan, or to noise; or through a
// function or a channel, of which nobody can see where it leads.
func checkPolicy(policy any) error {
	c := &closed{open: pastPolicies, by: "a policy sees releases and views alone"}
	return c.check(policy, "learner: Private.Policy")
}

// checkRule refuses a policy's rule from which raw data or noise can be reached, as checkPolicy
// does.
func checkRule(rule any) error {
	c := &closed{open: pastPolicies, by: "a policy sees releases and views alone"}
	return c.check(rule, "learner: the rule of Private.Policy")
}

// checkServer refuses a server from which a device or noise can be reached. It may have functions,
// such as the step sizes of an online learner.
func checkServer(server any) error {
	c := &closed{open: pastServers, by: "a server sees messages alone", makes: true}
	return c.check(server, "learner: Local.Server")
}

// openType is an interface that no part may have, by what it does.
type openType struct {
	typ  reflect.Type
	does string
}

var pastServers = &openTypes{all: []openType{
	{reflect.TypeFor[Device](), "is a device"},
	{reflect.TypeFor[CalibratedDevice](), "is a device"},
	{reflect.TypeFor[Reporter](), "is a device"},
	{reflect.TypeFor[bandit.Learner](), "is a learner"},
	{reflect.TypeFor[bandit.Calibrated](), "is a learner"},
	{reflect.TypeFor[bandit.Run](), "is a learner"},
	{reflect.TypeFor[bandit.Environment](), "is an environment"},
	{reflect.TypeFor[bandit.World](), "is an environment's world"},
	{reflect.TypeFor[bandit.Instance](), "is an environment's trial"},
}}

var pastPolicies = &openTypes{all: []openType{
	{reflect.TypeFor[interface {
		Add(*privacy.Record) (bool, error)
	}](), "takes in records"},
	{reflect.TypeFor[bandit.Learner](), "is a learner"},
	{reflect.TypeFor[bandit.Calibrated](), "is a learner"},
	{reflect.TypeFor[bandit.Run](), "is a learner"},
	{reflect.TypeFor[bandit.Environment](), "is an environment"},
	{reflect.TypeFor[bandit.World](), "is an environment's world"},
	{reflect.TypeFor[bandit.Instance](), "is an environment's trial"},
	{reflect.TypeFor[Server](), "takes in messages"},
	{reflect.TypeFor[CalibratedServer](), "takes in messages"},
	{reflect.TypeFor[Receiver](), "takes in messages"},
	{reflect.TypeFor[privacy.Planner](), "has a plan of its own"},
}}

// noiseTypes are the types of noise.
var noiseTypes = map[reflect.Type]bool{reflect.TypeFor[privacy.Noise](): true, reflect.TypeFor[privacy.Ledger](): true}

// openTypes lists interfaces that no part may have.
type openTypes struct {
	all   []openType
	known sync.Map // what of has found, by type
}

// of returns what a type, or a pointer to it, does that no part may do; empty if it does nothing of
// that. A rule is looked through in every run, and its types are always the same.
func (o *openTypes) of(t reflect.Type, pointer bool) string {
	if pointer {
		t = reflect.PointerTo(t)
	}
	if does, ok := o.known.Load(t); ok {
		return does.(string)
	}
	does := ""
	for _, open := range o.all {
		if t.Implements(open.typ) {
			does = open.does
			break
		}
	}
	o.known.Store(t, does)
	return does
}

type closed struct {
	open  *openTypes
	by    string // what is seen instead
	makes bool   // functions are let through
	seen  map[visited]bool
}

type visited struct {
	at  unsafe.Pointer
	typ reflect.Type
	n   int
}

// first reports whether memory is visited for the first time.
func (c *closed) first(v visited) bool {
	if c.seen[v] {
		return false
	}
	if c.seen == nil {
		c.seen = make(map[visited]bool)
	}
	c.seen[v] = true
	return true
}

func (c *closed) check(part any, name string) error {
	if found := c.walk(reflect.ValueOf(part)); found != nil {
		return fmt.Errorf("%s%s is %s: %s", name, found.path, found.is, c.by)
	}
	return nil
}

// way is where something was found that no part may reach.
type way struct{ path, is string }

// behind returns the way as seen from one step before.
func (w *way) behind(step string) *way { return &way{step + w.path, w.is} }

// walk returns the way to something that the part may not reach; nil if there is none.
func (c *closed) walk(v reflect.Value) *way {
	t := v.Type()
	if !leads(t) {
		return nil
	}
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() || c.makes {
			return nil
		}
		return &way{is: fmt.Sprintf("a %v, of which nobody can see where it leads", t.Kind())}
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return c.walk(v.Elem())
	case reflect.Pointer:
		if v.IsNil() || !c.first(visited{v.UnsafePointer(), t, 1}) {
			return nil
		}
	case reflect.Map:
		if v.IsNil() || !c.first(visited{v.UnsafePointer(), t, 1}) {
			return nil
		}
	}
	does := c.open.of(t, false)
	if does == "" && t.Kind() == reflect.Struct && v.CanAddr() {
		does = c.open.of(t, true)
	}
	if does != "" {
		return &way{is: fmt.Sprintf("a %v, which %s", t, does)}
	}
	if noiseTypes[t] {
		return &way{is: fmt.Sprintf("noise, a %v", t)}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return c.walk(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if found := c.walk(v.Field(i)); found != nil {
				return found.behind("." + t.Field(i).Name)
			}
		}
	case reflect.Slice:
		if v.Len() == 0 || !c.first(visited{v.UnsafePointer(), t, v.Len()}) {
			return nil
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			if found := c.walk(v.Index(i)); found != nil {
				return found.behind("[" + strconv.Itoa(i) + "]")
			}
		}
	case reflect.Map:
		for iter := v.MapRange(); iter.Next(); {
			if found := c.walk(iter.Key()); found != nil {
				return found.behind("'s key")
			}
			if found := c.walk(iter.Value()); found != nil {
				return found.behind(fmt.Sprintf("[%v]", iter.Key()))
			}
		}
	}
	return nil
}

// leads reports whether a value of a type may lead to anything but numbers and strings.
func leads(t reflect.Type) bool {
	if known, ok := leading.Load(t); ok {
		return known.(bool)
	}
	found := leadsBy(t, map[reflect.Type]bool{})
	leading.Store(t, found)
	return found
}

var leading sync.Map // what leads has found

func leadsBy(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	if noiseTypes[t] {
		return true
	}
	for _, open := range slices.Concat(pastPolicies.all, pastServers.all) {
		if t.Implements(open.typ) || reflect.PointerTo(t).Implements(open.typ) {
			return true
		}
	}
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return leadsBy(t.Elem(), seen)
	case reflect.Map:
		return leadsBy(t.Key(), seen) || leadsBy(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if leadsBy(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
