//! SQL as DataFusion reads it: its parser, its planner with the functions of one record, and expressions that can be evaluated.
//!
//! Only the parts of DataFusion that know expressions are used, not those that plan and run queries.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{DataType, Schema};
use datafusion_common::config::ConfigOptions;
use datafusion_common::{DFSchema, Result, TableReference, plan_err};
use datafusion_expr::execution_props::ExecutionProps;
use datafusion_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion_expr::planner::{ContextProvider, ExprPlanner};
use datafusion_expr::simplify::SimplifyContext;
use datafusion_expr::{AggregateUDF, Expr, HigherOrderUDF, ScalarUDF, TableSource, WindowUDF};
use datafusion_functions::core::planner::CoreFunctionPlanner;
use datafusion_functions::datetime::planner::DatetimeFunctionPlanner;
use datafusion_functions::unicode::planner::UnicodeFunctionPlanner;
use datafusion_optimizer::simplify_expressions::ExprSimplifier;
use datafusion_physical_expr::{PhysicalExpr, create_physical_expr};
use datafusion_sql::parser::DFParserBuilder;
use datafusion_sql::planner::{ParserOptions, PlannerContext, SqlToRel};
use datafusion_sql::sqlparser::ast::ExprWithAlias;

/// What a condition may call: functions of one record, and no tables.
struct Functions {
    by_name: HashMap<String, Arc<ScalarUDF>>,
    planners: Vec<Arc<dyn ExprPlanner>>,
    options: ConfigOptions,
}

static FUNCTIONS: LazyLock<Functions> = LazyLock::new(|| {
    let mut by_name = HashMap::new();
    for function in datafusion_functions::all_default_functions() {
        for alias in function.aliases() {
            by_name.insert(alias.clone(), function.clone());
        }
        by_name.insert(function.name().to_owned(), function);
    }
    let mut options = ConfigOptions::new();
    // Names are taken as they are written.
    options.sql_parser.enable_ident_normalization = false;
    Functions {
        by_name,
        planners: vec![
            Arc::new(CoreFunctionPlanner::default()),
            Arc::new(DatetimeFunctionPlanner),
            Arc::new(UnicodeFunctionPlanner),
        ],
        options,
    }
});

impl ContextProvider for Functions {
    fn get_table_source(&self, name: TableReference) -> Result<Arc<dyn TableSource>> {
        plan_err!("table '{name}' not found")
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        &self.planners
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        self.by_name.get(name).cloned()
    }

    fn get_higher_order_meta(&self, _: &str) -> Option<Arc<HigherOrderUDF>> {
        None
    }

    fn get_aggregate_meta(&self, _: &str) -> Option<Arc<AggregateUDF>> {
        None
    }

    fn get_window_meta(&self, _: &str) -> Option<Arc<WindowUDF>> {
        None
    }

    fn get_variable_type(&self, _: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        &self.options
    }

    fn udf_names(&self) -> Vec<String> {
        self.by_name.keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn udaf_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn udwf_names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// An expression as it is written.
pub(crate) fn parse(text: &str) -> Result<ExprWithAlias> {
    let limit = FUNCTIONS.options.sql_parser.recursion_limit.get();
    DFParserBuilder::new(text).with_recursion_limit(limit).build()?.parse_into_expr()
}

/// What an expression means on records with these columns.
pub(crate) fn plan(parsed: ExprWithAlias, columns: &DFSchema) -> Result<Expr> {
    let options = ParserOptions::from(&FUNCTIONS.options.sql_parser);
    let planner = SqlToRel::new_with_options(&*FUNCTIONS, options);
    planner.sql_to_expr_with_alias(parsed, columns, &mut PlannerContext::new())
}

/// A condition that can be asked of records.
#[derive(Debug, Clone)]
pub(crate) struct Predicate {
    expression: Arc<dyn PhysicalExpr>,
}

impl Predicate {
    /// A condition that is evaluated as it is written, its types made to fit each other.
    pub(crate) fn new(condition: Expr, columns: &DFSchema) -> Result<Self> {
        let coerced = simplifier(columns).coerce(condition, columns)?;
        Self::of_coerced(&coerced, columns)
    }

    /// The same in fewer and faster steps: constants are evaluated, and values are cast instead of columns.
    pub(crate) fn simplified(condition: Expr, columns: &DFSchema) -> Result<Self> {
        let simplifier = simplifier(columns);
        let coerced = simplifier.coerce(condition, columns)?;
        Self::of_coerced(&simplifier.simplify(coerced)?, columns)
    }

    fn of_coerced(coerced: &Expr, columns: &DFSchema) -> Result<Self> {
        let (props, context) = (ExecutionProps::new(), PhysicalPlanningContext::default());
        Ok(Self { expression: create_physical_expr(coerced, columns, &props, &context)? })
    }

    /// For each record whether it is true, false or unknown.
    pub(crate) fn evaluate(&self, records: &RecordBatch) -> Result<BooleanArray> {
        let answers: ArrayRef = self.expression.evaluate(records)?.into_array(records.num_rows())?;
        match answers.as_boolean_opt() {
            Some(answers) => Ok(answers.clone()),
            // `NULL` by itself has no type.
            None => Ok(cast(&answers, &DataType::Boolean)?.as_boolean().clone()),
        }
    }
}

fn simplifier(columns: &DFSchema) -> ExprSimplifier {
    let options = Arc::new(FUNCTIONS.options.clone());
    ExprSimplifier::new(
        SimplifyContext::builder().with_schema(Arc::new(columns.clone())).with_config_options(options).build(),
    )
}

/// Columns as the planner knows them.
pub(crate) fn columns_of(schema: &Schema) -> Result<DFSchema> {
    DFSchema::try_from(schema.clone())
}
