// Package field refuses interface fields that hold no value.
//
//   - [Check] returns an error for nil and for a nil pointer.
package field

import (
	"fmt"
	"reflect"
)

// Check returns an error if x is nil or a nil pointer, as it is where a variable of a pointer type
// was never set. name names the field, such as "mechanism: Tree.Noise".
func Check(name string, x any) error {
	if x == nil {
		return fmt.Errorf("%s is nil", name)
	}
	if v := reflect.ValueOf(x); v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("%s is a %T that is nil", name, x)
	}
	return nil
}
