"""Holds the attacker against listing every table that fits, on families of a handful of records."""
